"""A training script that knows nothing of profilers. Profile it as it is:

    build/release/bin/npuprof record --start-step 2 --active 3 -o out/record -- \\
        /usr/bin/python3 examples/train.py
"""

from toy_model import Training


def main() -> None:
    training = Training()
    for _ in range(8):
        training.step()


if __name__ == "__main__":
    main()
