"""The tools by name: imported on first use, described for the model, their input checked."""

from functools import cache
from importlib import import_module
from typing import Any, cast

import msgspec

from agentcli.protocol.errors import ToolError
from agentcli.tools.base import Tool

_TOOLS = {
    "Bash": "agentcli.tools.bash:BashTool",
    "Edit": "agentcli.tools.edit:EditTool",
    "Glob": "agentcli.tools.glob:GlobTool",
    "Grep": "agentcli.tools.grep:GrepTool",
    "Read": "agentcli.tools.read:ReadTool",
    "Write": "agentcli.tools.write:WriteTool",
}

HIDDEN = "x-hidden"
"""Extra schema key of a parameter that is accepted but not offered to the model."""


def tool_names() -> tuple[str, ...]:
    """Names of all built-in tools, sorted. Pure; imports none of them."""
    return tuple(_TOOLS)


@cache
def load_tool(name: str) -> Tool:
    """The tool called *name*. Raises ``ToolError`` if there is none."""
    try:
        module, _, attribute = _TOOLS[name].partition(":")
    except KeyError:
        names = ", ".join(_TOOLS)
        raise ToolError(f"There is no tool named `{name}`. Tools: {names}.") from None
    return cast(Tool, getattr(import_module(module), attribute)())


def tool_definition(tool: Tool) -> dict[str, Any]:
    """The entry of ``tools`` in a request: ``name``, ``description``, ``input_schema``.

    Pure and byte-stable: the same tool gives the same bytes in every process.
    """
    return {
        "name": tool.name,
        "description": tool.description(),
        "input_schema": _input_schema(tool.input_type),
    }


def parse_input(tool: Tool, raw: dict[str, Any]) -> msgspec.Struct:
    """*raw* as the tool's input struct, with lenient coercion (``"5"`` → 5, ``"true"`` → True).

    Raises ``ToolError`` with one line that names the parameter. Pure.
    """
    fields = msgspec.structs.fields(tool.input_type)
    shown = [field.encode_name for field in fields if not _is_hidden(tool, field.encode_name)]
    known = {field.encode_name for field in fields}
    missing = [f"`{f.encode_name}`" for f in fields if f.required and f.encode_name not in raw]
    if missing:
        plural = "s" if len(missing) > 1 else ""
        raise ToolError(f"{tool.name}: missing required parameter{plural} {', '.join(missing)}")
    unknown = [f"`{key}`" for key in raw if key not in known]
    if unknown:
        plural = "s" if len(unknown) > 1 else ""
        valid = ", ".join(f"`{name}`" for name in shown)
        raise ToolError(
            f"{tool.name}: unknown parameter{plural} {', '.join(unknown)} (valid: {valid})"
        )
    required = {field.encode_name for field in fields if field.required}
    coerced = {
        key: _coerce(tool, key, value)
        for key, value in raw.items()
        # Many models send null for what they leave out.
        if value is not None or key in required
    }
    try:
        return msgspec.convert(coerced, tool.input_type, strict=False)
    except msgspec.ValidationError as error:
        what, _, where = str(error).partition(" - at `$")
        name = where.strip("`.").removeprefix("[...]") or "input"
        raise ToolError(f"{tool.name}: parameter `{name}`: {_lower_first(what)}") from None


def _coerce(tool: Tool, key: str, value: Any) -> Any:
    """What msgspec's lenient mode leaves out: ``"+10"``, ``"10.0"``, arrays sent as JSON text."""
    if not isinstance(value, str):
        return value
    kind = _property_schemas(tool.input_type)[key].get("type")
    text = value.strip()
    try:
        if kind == "integer":
            number = float(text)
            return int(number) if number.is_integer() else value
        if kind == "boolean":
            return {"yes": True, "no": False}.get(text.lower(), text.lower())
        if kind in ("array", "object"):
            return msgspec.json.decode(text)
    except (ValueError, OverflowError, msgspec.DecodeError):
        pass
    return value


def _is_hidden(tool: Tool, name: str) -> bool:
    return bool(_property_schemas(tool.input_type)[name].get(HIDDEN))


def _lower_first(text: str) -> str:
    return text[:1].lower() + text[1:]


@cache
def _property_schemas(input_type: type[msgspec.Struct]) -> dict[str, dict[str, Any]]:
    schema = msgspec.json.schema(input_type)
    return _inline(schema, schema.get("$defs", {}))["properties"]


def _input_schema(input_type: type[msgspec.Struct]) -> dict[str, Any]:
    schema = msgspec.json.schema(input_type)
    plain = _inline(schema, schema.get("$defs", {}))
    plain["properties"] = {
        name: prop for name, prop in plain["properties"].items() if not prop.get(HIDDEN)
    }
    return _sorted(plain)


def _inline(node: Any, defs: dict[str, Any]) -> Any:
    """Schema without ``$ref``, ``title``, null alternatives and null defaults; objects closed."""
    if isinstance(node, list):
        return [_inline(item, defs) for item in cast(list[Any], node)]
    if not isinstance(node, dict):
        return node
    source = cast(dict[str, Any], node)
    if "$ref" in source:
        rest = {key: value for key, value in source.items() if key not in ("$ref", "$defs")}
        return _inline({**defs[source["$ref"].rpartition("/")[2]], **rest}, defs)
    if "anyOf" in source:
        options = [option for option in source["anyOf"] if option != {"type": "null"}]
        if len(options) == 1:
            rest = {key: value for key, value in source.items() if key != "anyOf"}
            return _inline({**options[0], **rest}, defs)
    result = {
        key: {name: _inline(prop, defs) for name, prop in value.items()}
        if key == "properties"
        else _inline(value, defs)
        for key, value in source.items()
        if key not in ("title", "$defs") and not (key == "default" and value is None)
    }
    if result.get("type") == "object" and "properties" in result:
        result["additionalProperties"] = False
    return result


def _sorted(node: Any) -> Any:
    if isinstance(node, list):
        return [_sorted(item) for item in cast(list[Any], node)]
    if not isinstance(node, dict):
        return node
    source = cast(dict[str, Any], node)
    return {key: _sorted(source[key]) for key in sorted(source)}
