"""The scripts by name; each module is loaded when its script is wanted."""

from importlib import import_module

from agentcli.demo.reply import Script

SCRIPTS = {
    "demo": ("agentcli.demo.script", "demo_script"),
    "echo": ("agentcli.demo.scripts_bench", "echo"),
    "hello": ("agentcli.demo.scripts_bench", "hello"),
    "markdown20k": ("agentcli.demo.scripts_bench", "markdown20k"),
    "markdown200k": ("agentcli.demo.scripts_bench", "markdown200k"),
    "tools": ("agentcli.demo.scripts_bench", "tools"),
}


def load_script(name: str) -> Script:
    """The script of that name. Raises ``KeyError`` for an unknown one."""
    module, function = SCRIPTS[name]
    script: Script = getattr(import_module(module), function)
    return script
