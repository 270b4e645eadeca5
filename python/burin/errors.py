"""What burin raises."""


class Error(Exception):
    """A file, kernel, launch or argument that burin cannot use.

    The message is the sentence that the command line prints; ``status`` is the exit status that it
    ends with (2: wrong usage, 3: bad input, 4: the GPU or its driver refused).

    >>> import burin
    >>> burin.open("/no/such/file")
    Traceback (most recent call last):
    burin.errors.Error: /no/such/file: cannot open: No such file or directory
    """

    def __init__(self, message: str, status: int = 3) -> None:
        super().__init__(message)
        self.message = message
        self.status = status


class Warning(UserWarning):
    """What burin found worth saying beside an answer, such as results that are partly Unknown."""
