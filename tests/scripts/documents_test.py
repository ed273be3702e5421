"""Links between the documents, to headings too, and the headers that docs/formats.md names, lead somewhere."""

import re
import subprocess
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LINK = re.compile(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)")
ANCHOR = re.compile(r"\]\(([^)#:\s]*)#([^)]+)\)")
HEADER = re.compile(r"`((?:framework|host|device)/\w+\.h)`")


def documents():
    names = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, check=True, text=True,
                           stdout=subprocess.PIPE).stdout.split()
    return [ROOT / name for name in names]


def anchors(document):
    """Of its headings, as they are made of them where Markdown is shown."""
    headings = re.findall(r"^#+ (.*)$", document.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading).lower().replace(" ", "-") for heading in headings}


class Documents(unittest.TestCase):
    def test_links(self):
        links = [(document, link) for document in documents()
                 for link in LINK.findall(document.read_text(encoding="utf-8"))]
        self.assertGreater(len(links), 10)
        broken = [f"{document.relative_to(ROOT)}: {link}" for document, link in links
                  if not (document.parent / link).exists()]
        self.assertEqual(broken, [])

    def test_anchors(self):
        links = [(document, path, anchor) for document in documents()
                 for path, anchor in ANCHOR.findall(document.read_text(encoding="utf-8"))]
        self.assertGreater(len(links), 3)
        broken = [f"{document.relative_to(ROOT)}: {path}#{anchor}" for document, path, anchor in links
                  if anchor not in anchors(document.parent / path if path else document)]
        self.assertEqual(broken, [])

    def test_headers_of_formats(self):
        named = HEADER.findall((ROOT / "docs/formats.md").read_text(encoding="utf-8"))
        self.assertGreater(len(named), 20)
        self.assertEqual([name for name in named if not (ROOT / "src/format" / name).exists()], [])


if __name__ == "__main__":
    unittest.main()
