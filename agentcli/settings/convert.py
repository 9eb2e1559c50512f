"""JSON object to ``Settings``, key by key: one wrong value costs only itself."""

from typing import Any, TypeVar, cast

import msgspec

from agentcli.base.values import as_dict
from agentcli.settings.model import Permissions, Settings

_STRINGS = frozenset({"allow", "ask", "deny", "additionalDirectories"})
_Struct = TypeVar("_Struct", bound=msgspec.Struct)


def to_settings(raw: dict[str, Any], name: str) -> tuple[Settings, list[str]]:
    """The usable settings of *raw* and one problem line per bad value. Pure; never raises."""
    problems: list[str] = []
    cleaned = dict(raw)
    if "permissions" in cleaned:
        cleaned["permissions"] = _permissions(cleaned["permissions"], name, problems)
    if "env" in cleaned:
        cleaned["env"] = _env(cleaned["env"], name, problems)
    return _convert(cleaned, Settings, name, "", problems), problems


def loses_rules(raw: dict[str, Any]) -> bool:
    """True if the rules that forbid or ask have a shape that cannot be read. Pure.

    One bad entry of a list is no rule and costs only itself.
    """
    permissions = raw.get("permissions")
    if not isinstance(permissions, dict):
        return permissions is not None
    rules = as_dict(cast("object", permissions))
    return any(not isinstance(rules.get(key, []), list | str) for key in ("deny", "ask"))


def _permissions(value: object, name: str, problems: list[str]) -> Permissions:
    if not isinstance(value, dict):
        problems.append(f"{name}: permissions: expected an object")
        return Permissions()
    raw = dict(as_dict(cast("object", value)))
    for key in _STRINGS & raw.keys():
        raw[key] = _strings(raw[key], f"{name}: permissions.{key}", problems)
    return _convert(raw, Permissions, name, "permissions.", problems)


def _strings(value: object, where: str, problems: list[str]) -> list[str]:
    if not isinstance(value, list):
        problems.append(f"{where}: expected a list of strings")
        # One rule that forbids, written without its list, still forbids.
        return [value] if isinstance(value, str) and where.endswith((".deny", ".ask")) else []
    items = cast("list[object]", value)
    problems.extend(
        f"{where}[{at}]: expected a string" for at, item in enumerate(items) if _bad(item)
    )
    return [item for item in items if isinstance(item, str)]


def _bad(item: object) -> bool:
    return not isinstance(item, str)


def _env(value: object, name: str, problems: list[str]) -> dict[str, str]:
    if not isinstance(value, dict):
        problems.append(f"{name}: env: expected an object")
        return {}
    result: dict[str, str] = {}
    for key, item in as_dict(cast("object", value)).items():
        if isinstance(item, bool | int | float):
            item = str(item).lower() if isinstance(item, bool) else str(item)
        if not isinstance(item, str) or "\0" in item or not key or "=" in key or "\0" in key:
            problems.append(f"{name}: env.{key[:60]}: expected a name and a string")
            continue
        result[key] = item
    return result


def _convert(
    raw: dict[str, Any], kind: type[_Struct], name: str, prefix: str, problems: list[str]
) -> _Struct:
    values: dict[str, Any] = {}
    for field in msgspec.structs.fields(kind):
        if field.encode_name not in raw:
            continue
        value = raw[field.encode_name]
        try:
            values[field.name] = msgspec.convert(value, field.type)
        except msgspec.ValidationError as error:
            problems.append(f"{name}: {prefix}{field.encode_name}: {error}")
    return kind(**values)
