"""The line limit of a bridge: messages travel as lines, and one line may only be so long."""

MAX_LINE_BYTES = 16 * 1024 * 1024


class LineTooLong(ValueError):
    """A line went over `MAX_LINE_BYTES`. It was read to its end and thrown away; the next line is whole.

    `size` is its length in bytes.
    """

    def __init__(self, size: int) -> None:
        super().__init__(f"a message of {size} bytes is over the limit of {MAX_LINE_BYTES} bytes")
        self.size = size
