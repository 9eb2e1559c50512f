"""Published ways around a permission layer by the shell's syntax, named after their records."""

from tests.permissions.advisories import denied, never, still


def test_cve_2025_54795_echo_with_a_second_command(project):
    """Claude Code: a form of ``echo`` skipped the question."""
    there = project.with_rules("allow", "Bash(echo *)")
    never(
        there,
        [
            'echo "x"; make',
            "echo x\nmake",
            'echo "$(make)"',
            "echo `make`",
            "echo x & make",
            "echo x|make",
            "echo <(make)",
            'echo "a"\';\'"b"; make',
        ],
    )
    still(there, ["echo 'x; make'", 'echo "a && b"', "echo x; echo y"])


def test_cve_2025_66032_ifs_and_bundled_flags(project):
    """Claude Code 1.0.93: ``$IFS`` glued words, short flags were bundled."""
    never(
        project,
        [
            "cat${IFS}/etc/passwd",
            "ls$IFS-la;make",
            "sed -ni 1p README.md",
            "sed -n -i 1p README.md",
            "sed${IFS}-i${IFS}1d${IFS}README.md",
            "sort -ro x README.md",
        ],
    )
    still(project, ["sed -n 1p README.md", "sort -rn README.md", "ls -la"])


def test_cve_2025_62354_separators_and_substitutions(project):
    """Cursor 2.0: shell syntax passed an allowlist."""
    there = project.with_rules("allow", "Bash(npm test *)")
    never(
        there,
        [
            f"npm test{join}make"
            for join in (";", "&&", "||", "|", "|&", "&", "\n", " $(", " `", " <(", " >(")
        ],
    )
    never(
        there,
        [
            "npm test $(make)",
            "npm test `make`",
            "npm test <(make)",
            "{ npm test; make; }",
            "(npm test; make)",
            "if npm test; then make; fi",
            "npm test <<E\n$(make)\nE",
            'npm test <<< "$(make)"',
        ],
    )
    still(there, ["npm test", "npm test -- 'a;b'", "npm test && ls"])


def test_cve_2026_22708_builtins_that_poison_what_follows(project):
    """Cursor 2.3: ``export`` and others ran unasked and changed allowed commands."""
    there = project.with_rules("allow", "Bash(git log *)", "Bash(make *)")
    never(
        there,
        [
            "export PAGER=./x; git log",
            "PATH=.:$PATH make",
            "typeset -x PAGER=x; git log",
            "PAGER=./x git log",
            "declare -x A=1; make",
            "readonly PATH=.; make",
            "alias ls=make; ls",
            "hash -p ./x ls; ls",
            "set -a; make",
            "enable -f ./x ls; ls",
            "unset PATH; make",
            "printf -v PATH .; make",
            "read PATH < x; make",
        ],
    )
    still(there, ["git log -3", "make all", "NO_COLOR=1 make"])


def test_cve_2026_29783_expansions_with_an_operator(project):
    """Copilot CLI 0.0.423: ``${v@P}``, ``${v=…}``, ``${!v}`` expand text once more."""
    never(
        project,
        [
            "echo ${x@P}",
            'echo "${x@P}"',
            "echo ${x=$(make)}",
            "echo ${!x}",
            "echo ${x:-$(make)}",
            "echo ${x:=`make`}",
            "echo ${x//a/$(make)}",
            "echo ${x[$(make)]}",
            "ls ${x@E}",
        ],
    )
    still(project, ["echo $x", 'echo "${x}"', "echo '${x@P}'"])


def test_cve_2026_109429_prompt_expansion(project):
    """mistral-vibe 2.25.4: ``${v@P}`` expands quoted text again."""
    never(project, ["x='$(make)'; echo ${x@P}", "for x in '$(make)'; do echo ${x@P}; done"])
    still(project, ["for x in '$(make)'; do echo $x; done"])


def test_cve_2026_110206_a_substitution_in_the_place_of_a_command(project):
    """Roo Code 3.54: ``$(echo rm) -rf x`` passed as its inner ``echo``."""
    there = project.with_rules("allow", "Bash(echo *)", "Bash(rm *)")
    never(
        there,
        [
            "$(echo rm) -rf x",
            "`echo rm` -rf x",
            '"$(echo rm)" -rf x',
            "$x -rf y",
            "r$x -rf y",
            "/bin/r? -rf x",
        ],
    )
    still(there, ["echo $(echo rm)"])


def test_cve_2026_87983_quoted_paths(project):
    """mistral-vibe: a quoted absolute path was not seen as a path."""
    never(
        project,
        [
            'cat "/etc/passwd"',
            "cat '/etc/passwd'",
            "cat /etc/'passwd'",
            "cat \\/etc/passwd",
            'cat /e"tc"/passwd',
            "head -n 1 '/etc'/passwd",
            "cat README.md '../x'",
        ],
    )
    still(project, ['cat "README.md"', "cat 'src'/app.py"])


def test_cve_2026_87984_redirect_targets(project):
    """mistral-vibe: what a redirect opens was not looked at."""
    there = project.with_rules("allow", "Bash(echo *)")
    never(
        there,
        [
            f"echo x {op} /etc/x"
            for op in (">", ">>", ">|", "&>", "&>>", "2>", ">&", "1>", "3>", "2>>")
        ],
    )
    never(
        there,
        [
            "> ../x echo x",
            "{ echo x; } > ../x",
            "(echo x) >~/x",
            "for i in 1; do echo x; done > ../x",
            "if ls; then ls; fi >../x",
            "cat < /etc/passwd",
            "echo x 2>&1 >../x",
            "echo x > $y",
            "echo x > ../*",
        ],
    )
    still(there, ["echo x >/dev/null", "echo x 2>&1", "cat < README.md"])


def test_cve_2026_87985_ansi_c_quoted_arguments(project):
    """mistral-vibe: ``$'…'`` arguments were invisible to the checks."""
    never(
        project,
        [
            "find . $'-exec' make {} +",
            "find . $'\\x2ddelete'",
            "cat $'/etc/passwd'",
            "ls $'a\\nb'; make",
            'find . $"-delete"',
            "find . -exe''c make {} +",
            "find . -{exec,x} make",
        ],
    )
    still(project, ["find . -name 'x'"])


def test_cve_2026_87986_texts_that_were_read_in_part(project):
    """mistral-vibe: the part that did not parse was dropped."""
    never(
        project,
        [
            "ls; )",
            "ls 'x",
            'ls "x',
            "ls; fi",
            "ls <> x",
            "ls; ${ make; }",
            "ls\n<<<",
            "ls $(",
            "ls; case",
            "ls {;make",
        ],
    )
    forbidding = project.with_rules("deny", "Bash(make *)").with_rules("allow", "Bash")
    for command in (
        "ls; make; )",
        "make 'x",
        "f() { make; }; f",
        "[[ -f x ]] && make",
        "((x=1)); make",
    ):
        assert forbidding.having(mode="bypassPermissions").bash(command).behavior != "allow"
    still(project, ["ls; pwd"])


def test_cve_2026_87987_leading_assignments(project):
    """mistral-vibe: leading assignments were ignored."""
    there = project.with_rules("allow", "Bash(git *)", "Bash(npm test *)", "Bash(bash *)")
    never(
        there,
        [
            "LD_PRELOAD=./x git status",
            "PAGER=./x git log",
            "GIT_SSH_COMMAND=./x git fetch",
            "NODE_OPTIONS=--require=./x npm test",
            "BASH_ENV=./x bash -c true",
            "A=$(make) npm test",
            "LANG=`make` npm test",
            "LANG=/x/y npm test",
            "IFS=x ls",
            "PYTHONPATH=. npm test",
            "GIT_EXTERNAL_DIFF=./x git diff",
            "LANG=C PATH=. npm test",
        ],
    )
    still(there, ["LANG=C npm test", "NODE_ENV=test npm test", "NO_COLOR=1 git status"])


def test_cve_2024_6091_spellings_of_a_denied_program(project):
    """AutoGPT: ``/bin/./whoami`` was not the denied ``whoami``."""
    there = project.with_rules("allow", "Bash").with_rules("deny", "Bash(curl *)")
    denied(
        there,
        [
            "/usr/bin/curl x",
            "/usr/bin/./curl x",
            "./curl x",
            "\\curl x",
            "cu''rl x",
            '"curl" x',
            "cur\\l x",
            "c\\\nurl x",
            "$'curl' x",
        ],
    )
    still(there, ["echo curl x"])


def test_openclaw_cve_2026_32055_wrappers_hide_the_denied_command(project):
    """OpenClaw: ``env``, ``sudo`` and ``timeout`` hid what they run."""
    there = project.with_rules("allow", "Bash").with_rules("deny", "Bash(curl *)")
    denied(
        there,
        [
            f"{wrapper} curl x"
            for wrapper in (
                "env",
                "sudo",
                "timeout 5",
                "nohup",
                "nice -n 5",
                "setsid",
                "watch",
                "ionice -c3",
                "stdbuf -oL",
                "command",
                "builtin",
                "exec",
                "doas",
                "time",
                "env A=1",
                "sudo -u me env -i",
                "flock /tmp/l",
                "chroot /x",
                "xargs",
                "busybox",
                "unshare -r",
            )
        ],
    )
    denied(
        there,
        [
            "A=1 curl x",
            "A=1 B=2 timeout 5 curl x",
            "bash -c 'curl x'",
            "sh -c 'ls; curl x'",
            "eval 'curl x'",
        ],
    )
    still(there, ["timeout 5 wget x"])


def test_adversa_2026_more_than_fifty_parts(project):
    """Claude Code 2.1.90: behind fifty parts a deny fell back to a question."""
    there = project.with_rules("allow", "Bash").with_rules("deny", "Bash(curl *)")
    for join in (";", "&&", "||", "|", "\n"):
        denied(there, [join.join([*(["true"] * count), "curl x"]) for count in (49, 50, 60, 500)])
    denied(there, ["true;" * 3_000 + "curl x", "echo " + "a" * 12_000 + "; curl x"])
    still(there, [";".join(["true"] * 60)])


def test_changelog_deny_is_not_lowered(project):
    """Claude Code's changelog: pipe with ``cd`` or a parse failure lowered a deny to a question."""
    there = project.with_rules("allow", "Bash").with_rules("deny", "Bash(curl *)")
    denied(
        there,
        [
            "cd src && curl x | cat",
            "cd src; ls | curl -d @- x",
            "curl x )",
            "curl x 'y",
            "f() { curl x; }; f",
            "curl x <<E\n$(",
            "cat <<E | curl x\ny\nE",
        ],
    )
    still(there, ["cd src && ls | cat"])


def test_changelog_line_continuations(project):
    """A ``\\`` at the end of a line inside a word hid its second half."""
    there = project.with_rules("allow", "Bash(npm test *)")
    never(
        there,
        [
            "npm test \\\n; make",
            "npm test; m\\\nake",
            "npm test \\\n&& make",
            "npm test # \\\nmake",
        ],
    )
    denied(project.with_rules("deny", "Bash(curl *)"), ["cu\\\nrl x", "ls; cur\\\nl \\\n x"])
    still(there, ["npm test \\\n  --silent \\\n  'a \\\n b'"])


def test_changelog_invisible_and_control_characters(project):
    """Tabs, carriage returns and invisible characters hid the tail of a command."""
    there = project.with_rules("allow", "Bash(echo *)")
    hidden = "\r\x0b\x0c\x08\x1b\x7f\x85\u00a0\u200b\u200e\u202e\u2028\u2066\u3164\ufeff"
    for char in hidden + "\ue000\U000e0041\0":
        never(there, [f"echo a{char}b", f"echo a{char}; echo b", f"'echo{char}' b"])
    still(there, ["echo a\tb", "echo 'é 世界 😀'"])


def test_changelog_over_ten_thousand_characters_asks(project):
    """Longer texts always ask, whatever is allowed."""
    there = project.with_rules("allow", "Bash(echo *)")
    never(there, ["echo " + "a" * 10_000, "echo a; " * 1_300])
    still(there, ["echo " + "a" * 9_900])


def test_changelog_escaped_flags(project):
    """A backslash before a flag passed as read-only."""
    never(
        project,
        [
            "find . \\-delete",
            "find . -del\\ete",
            "sort \\-o x README.md",
            "sed \\-i 1d README.md",
            "git \\-c core.pager=x log",
        ],
    )
    still(project, ["find . \\-name x"])


def test_changelog_a_whole_compound_is_not_saved_as_one_rule(project):
    """ "Always allow" was saved for a whole compound text."""
    decision = project.bash("npm test && make x; ls")
    assert [str(rule) for update in decision.suggestions for rule in update.rules] == [
        "Bash(npm test *)",
        "Bash(make x)",
    ]
    compound = project.with_rules("allow", "Bash(npm test && make x)")
    never(compound, ["npm test && make x"])


def test_bash_reads_the_target_of_a_duplication_twice(project):
    """Found by our own fuzzing: behind ``>&`` even a quoted literal is expanded once more."""
    there = project.with_rules("allow", "Bash(echo *)", "Edit(//**)")
    never(
        there,
        [
            "echo x >&'$(make)'",
            'echo x >&"\\$(make)"',
            "echo x >&\\$\\(make\\)",
            "echo x 2>&'`make`'",
            "echo x <&'$(make)'",
        ],
    )
    still(there, ["echo x >&2", "echo x >& out.txt"])


def test_subscripts_in_quoted_literals(project):
    """Measured: these builtins evaluate a subscript that stands in a quoted literal."""
    never(
        project,
        [
            "test -v 'a[$(make)]'",
            "[ -v 'a[$(make)]' ]",
            "printf -v 'a[$(make)]' x",
            "read 'a[$(make)]'",
            "let 'a[$(make)]=1'",
            "declare 'a[$(make)]=1'",
            "wait -p 'a[$(make)]'",
            "[[ 'a[$(make)]' -eq 1 ]]",
            "echo $((a[$(make)]))",
            "unset 'a[$(make)]'",
            "mapfile 'a[$(make)]'",
            "getopts x 'a[$(make)]'",
        ],
    )
    still(project, ["echo 'a[$(make)]'", "test -f README.md", "[ -f README.md ]"])
