"""Every schema is one, every message of the vectors fits its own, and what is marked as bad does not.

    validate.py SCHEMAS VECTORS
"""
import json
import sys
from pathlib import Path

from jsonschema import Draft202012Validator


def main(schemas: Path, vectors: Path) -> int:
    validators = {}
    for file in sorted(schemas.glob("*.json")):
        schema = json.loads(file.read_text())
        Draft202012Validator.check_schema(schema)
        validators[file.stem] = Draft202012Validator(schema)
    wrong, messages = [], 0
    for file in sorted(vectors.glob("*.txt")):
        for number, line in enumerate(file.read_text().splitlines(), 1):
            if line[:2] not in (">>", ">!", "<<"):
                continue
            try:
                message = json.loads(line[2:])
            except ValueError:
                continue
            name = message.get("type") if isinstance(message, dict) else None
            fits = name in validators and validators[name].is_valid(message)
            messages += 1
            if fits == (line[:2] == ">!"):
                wrong.append(f"{file.name}:{number}: {'fits' if fits else 'does not fit'} {name}")
    print(f"{len(validators)} schemas, {messages} messages, {len(wrong)} wrong")
    print("\n".join(wrong))
    return 1 if wrong or not messages else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
