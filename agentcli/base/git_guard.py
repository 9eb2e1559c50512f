"""The environment that keeps git from running what a repository's configuration names.

Measured with git 2.39: ``status``, ``diff`` and ``ls-files`` run ``core.fsmonitor``. Filters
(``filter.*.clean``) have no general switch; so git runs unasked in trusted folders only.
"""

_CONFIG = {
    "core.fsmonitor": "false",
    "core.hooksPath": "/dev/null",
    "core.pager": "cat",
    "log.showSignature": "false",
    "gpg.program": "false",
    "gpg.openpgp.program": "false",
    "gpg.ssh.program": "false",
    "gpg.x509.program": "false",
}


def _config_variables() -> dict[str, str]:
    variables = {"GIT_CONFIG_COUNT": str(len(_CONFIG))}
    for at, (name, value) in enumerate(_CONFIG.items()):
        variables |= {f"GIT_CONFIG_KEY_{at}": name, f"GIT_CONFIG_VALUE_{at}": value}
    return variables


GIT_GUARDS: dict[str, str] = {
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_PAGER": "cat",
    "PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
    **_config_variables(),
}
"""Variables to set; they win over every configuration file."""
