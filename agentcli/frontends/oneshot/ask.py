"""The asker of a run without a person: what would ask is denied, and the model is told why."""

from agentcli.protocol.asks import AnswerSource, AskReply, AskRequest, Deny


class DenyingAsker:
    """Answers every question at once with a denial that says how to allow it next time."""

    source: AnswerSource = "policy"

    async def ask(self, ask_id: str, request: AskRequest) -> AskReply:
        """Deny. Never waits, never raises."""
        return Deny(
            f"it needs approval ({request.reason}) and nobody can be asked in print mode. "
            "Go on without it, or say what you would need."
        )
