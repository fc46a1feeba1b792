"""Lets ``python -m benchbook`` stand for the command."""

from .cli import main

if __name__ == "__main__":
    main()
