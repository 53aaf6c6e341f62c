"""Fixtures that several test files share."""

import pytest


@pytest.fixture
def command(capsysbinary):
    """Run a command; returns exit code, standard output and standard error."""
    from streamart.cli import app

    def run(*arguments):
        with pytest.raises(SystemExit) as end:
            app.run([str(argument) for argument in arguments])
        out, err = capsysbinary.readouterr()
        return end.value.code, out.decode(), err.decode()

    return run
