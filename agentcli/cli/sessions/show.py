"""``agentcli sessions show``: a conversation as text, as entries, or as the next request."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, BinaryIO

import msgspec

from agentcli.cli.sessions.args import SessionArgs
from agentcli.cli.sessions.place import Place, read_entries, title_of
from agentcli.frontends.oneshot.streams import tell
from agentcli.protocol.errors import UsageError
from agentcli.session.codec import cleaned, encode_line
from agentcli.session.entries import Entry
from agentcli.session.tree import conversation

if TYPE_CHECKING:
    from agentcli.provider.models import ModelInfo


def show(args: SessionArgs, place: Place, out: BinaryIO) -> int:
    """Print the conversation that a resume would find. Raises AgentCliError, OSError."""
    if args.json and args.payload:
        raise UsageError("--json and --payload are two different things; take one")
    entries = read_entries(place.find(args.session))
    path = conversation(entries)
    if not path:
        tell("there is no conversation in it, or it was cleared")
    if args.payload:
        body = msgspec.json.encode(cleaned(_body(path, args, place)))
        out.write(msgspec.json.format(body, indent=2) + b"\n")
    elif args.json:
        for entry in path:
            out.write(encode_line(entry.data))
    else:
        from agentcli.frontends.shared.export import to_markdown

        out.write(to_markdown(path, title=title_of(entries), full=args.full).encode())
    return 0


def _body(path: Sequence[Entry], args: SessionArgs, place: Place) -> dict[str, object]:
    """The body as a session with this folder's settings makes it; nothing is sent."""
    from agentcli.cli.options import Args
    from agentcli.cli.policy import make_policy
    from agentcli.context.payload import build_payload
    from agentcli.engine.frame import frame_maker
    from agentcli.provider.models import resolve_model
    from agentcli.settings.load import load_settings
    from agentcli.settings.trust import read_trust

    trusted = read_trust(place.cwd, place.home).trusted
    loaded = load_settings(place.cwd, place.home, place.env, trusted=trusted)
    env = {**place.env, **loaded.settings.env}
    policy, _problems = make_policy(Args(), loaded, place.cwd, place.home, trusted=trusted)
    wanted = args.model or env.get("ANTHROPIC_MODEL") or loaded.settings.model
    model = resolve_model(wanted) if wanted else _model_of(path)
    frame = frame_maker(policy)(model, loaded.settings.effort_level)
    return build_payload(path, frame).body()


def _model_of(path: Sequence[Entry]) -> "ModelInfo":
    from agentcli.provider.models import resolve_model

    try:
        return resolve_model(_last_model(path) or "default")
    except UsageError as error:
        raise UsageError(f"{error.message} Say another with --model.") from None


def _last_model(path: Sequence[Entry]) -> str | None:
    for entry in reversed(path):
        if entry.type == "assistant" and not entry.data.get("isApiErrorMessage"):
            model = entry.message.get("model")
            return model if isinstance(model, str) else None
    return None
