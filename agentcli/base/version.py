"""The version, as a constant: reading package metadata would cost a start 70 CPU-ms."""

__version__ = "0.1.0"

# Session files carry the version of the format's reference writer, since the foreign readers
# of this format expect a three-part number there and compare it.
FORMAT_VERSION = "2.1.265"
