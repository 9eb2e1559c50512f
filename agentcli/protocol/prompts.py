"""What a person sends: a prompt, or a shell command of their own."""

from dataclasses import dataclass

from agentcli.protocol.blocks import Block

Prompt = str | list[Block]
"""Words as typed, or blocks: text and images."""

SHELL_CALL = "!"
"""Tool name of the call that stands for the person's own shell command in events."""


@dataclass(frozen=True, slots=True)
class Queued:
    """Something that waits for its turn; ``shell``: the content is a command."""

    content: Prompt
    shell: bool = False

    @property
    def text(self) -> str:
        """Its words as they were typed, ``!`` before a command, images left out. Pure."""
        if isinstance(self.content, str):
            return f"{SHELL_CALL}{self.content}" if self.shell else self.content
        return "\n".join(
            str(block.get("text", "")) for block in self.content if block.get("type") == "text"
        )

    @property
    def label(self) -> str:
        """One text to show for it, images named. Pure."""
        if isinstance(self.content, str):
            return self.text
        images = sum(block.get("type") == "image" for block in self.content)
        named = ["[image]" if images == 1 else f"[{images} images]"] if images else []
        return " ".join([part for part in (self.text, *named) if part])
