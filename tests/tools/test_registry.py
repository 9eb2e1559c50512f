"""Names, schemas and input checks."""

import json
import subprocess
import sys
from typing import Annotated, Any

import msgspec
import pytest

from agentcli.protocol.errors import ToolError
from agentcli.tools.registry import load_tool, parse_input, tool_definition, tool_names


def parse(name: str, **raw: Any) -> Any:
    return parse_input(load_tool(name), raw)


def refusal(name: str, **raw: Any) -> str:
    with pytest.raises(ToolError) as caught:
        parse(name, **raw)
    return caught.value.message


def test_every_tool_loads_and_is_described() -> None:
    assert tool_names() == ("Bash", "Edit", "Glob", "Grep", "Read", "Write")
    for name in tool_names():
        tool = load_tool(name)
        assert tool.name == name and load_tool(name) is tool
        definition = tool_definition(tool)
        assert list(definition) == ["name", "description", "input_schema"]
        assert 200 < len(definition["description"]) < 3000
        schema = definition["input_schema"]
        assert schema["type"] == "object" and schema["additionalProperties"] is False
        assert all(prop.get("description") for prop in schema["properties"].values())
        text = json.dumps(schema)
        assert "$ref" not in text and "null" not in text and "x-hidden" not in text
        assert list(schema["properties"]) == sorted(schema["properties"])


def test_read_only_tools() -> None:
    assert [n for n in tool_names() if load_tool(n).read_only] == ["Glob", "Grep", "Read"]


def test_documented_keys_are_offered() -> None:
    keys = {
        n: set(tool_definition(load_tool(n))["input_schema"]["properties"]) for n in tool_names()
    }
    assert keys["Bash"] == {"command", "timeout", "description"}
    assert keys["Edit"] == {"file_path", "old_string", "new_string", "replace_all"}
    assert keys["Grep"] == {
        "pattern", "path", "glob", "type", "output_mode", "-i", "-o", "-n", "-A", "-B", "-C",
        "context", "head_limit", "offset", "multiline",
    }  # fmt: skip


def test_definitions_are_the_same_bytes_in_every_process() -> None:
    code = (
        "import json; from agentcli.tools.registry import *\n"
        "print(json.dumps([tool_definition(load_tool(n)) for n in tool_names()]))"
    )
    here = json.dumps([tool_definition(load_tool(n)) for n in tool_names()])
    for seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-B", "-c", code],
            capture_output=True,
            text=True,
            env={"PYTHONHASHSEED": seed},
        )
        assert done.stdout.strip() == here, done.stderr


def test_names_import_no_tool() -> None:
    code = (
        "import sys; from agentcli.tools.registry import tool_names; tool_names()\n"
        "print([m for m in sys.modules if m in ('agentcli.tools.bash', 'agentcli.tools.read')])"
    )
    done = subprocess.run([sys.executable, "-B", "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "[]", done.stderr


def test_unknown_tool() -> None:
    with pytest.raises(ToolError, match="no tool named `constructor`"):
        load_tool("constructor")


@pytest.mark.parametrize("limit", [5, "5", "+5", " 5 ", 5.0, "5.0"])
def test_numbers_are_taken_leniently(limit: Any) -> None:
    assert parse("Read", file_path="a", limit=limit).limit == 5


@pytest.mark.parametrize("flag", [True, "true", "True", "yes"])
def test_flags_are_taken_leniently(flag: Any) -> None:
    assert parse(
        "Edit", file_path="a", old_string="b", new_string="c", replace_all=flag
    ).replace_all


def test_text_stays_text() -> None:
    args = parse("Write", file_path="5", content="true")
    assert (args.file_path, args.content) == ("5", "true")


def test_null_means_left_out() -> None:
    assert parse("Read", file_path="a", limit=None, offset=None).limit is None


def test_null_for_a_flag_means_its_default() -> None:
    args = parse("Grep", pattern="x", head_limit=None, **{"-n": None, "-i": None})
    assert args.line_numbers and not args.ignore_case
    assert "missing" not in refusal("Write", file_path="x", content=None)


def test_dashed_keys() -> None:
    args = parse("Grep", pattern="x", **{"-i": True, "-A": "3", "-n": "false"})
    assert (args.ignore_case, args.after, args.line_numbers) == (True, 3, False)


def test_refusals_are_one_line_and_name_the_parameter() -> None:
    assert refusal("Write", file_path="x") == "Write: missing required parameter `content`"
    assert refusal("Edit", new_string="") == (
        "Edit: missing required parameters `file_path`, `old_string`"
    )
    assert refusal("Read", file_path="x", foo=1) == (
        "Read: unknown parameter `foo` (valid: `file_path`, `offset`, `limit`)"
    )
    assert "parameter `limit`: expected `int" in refusal("Read", file_path="x", limit="ten")
    assert "parameter `file_path`: expected `str`" in refusal("Read", file_path=["x"])
    assert "parameter `output_mode`" in refusal("Grep", pattern="x", output_mode="lines")


class _Item(msgspec.Struct):
    name: Annotated[str, msgspec.Meta(description="n")]


class _Nested(msgspec.Struct, forbid_unknown_fields=True):
    items: Annotated[list[_Item], msgspec.Meta(description="i")]
    other: _Item | None = None


class _NestedTool:
    name = "Nested"
    input_type: type[msgspec.Struct] = _Nested
    read_only = True

    def description(self) -> str:
        return "d"

    async def run(self, args: Any, ctx: Any) -> Any: ...

    def preview(self, args: Any, ctx: Any) -> None: ...


def test_nested_inputs_are_inlined_closed_and_taken_from_json_text() -> None:
    item = {
        "additionalProperties": False,
        "properties": {"name": {"description": "n", "type": "string"}},
        "required": ["name"],
        "type": "object",
    }
    schema = tool_definition(_NestedTool())["input_schema"]
    assert schema["properties"] == {
        "items": {"description": "i", "items": item, "type": "array"},
        "other": item,
    }
    parsed = parse_input(_NestedTool(), {"items": '[{"name": "a"}]', "other": '{"name": "b"}'})
    assert parsed == _Nested([_Item("a")], _Item("b"))
    with pytest.raises(ToolError, match="parameter `items"):
        parse_input(_NestedTool(), {"items": "[{"})
