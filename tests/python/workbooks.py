"""Reads what is in a workbook (.xlsx): cells, how they look, which are merged."""

import zipfile
from xml.etree import ElementTree

_NAMESPACE = {"": "http://schemas.openxmlformats.org/spreadsheetml/2006/main"}


class Workbook:
    """The first sheet of a workbook."""

    def __init__(self, path):
        with zipfile.ZipFile(path) as archive:
            names = set(archive.namelist())

            def part(name):
                return ElementTree.fromstring(archive.read(name)) if name in names else None

            texts = part("xl/sharedStrings.xml")
            self._texts = [] if texts is None else [
                "".join(node.itertext()) for node in texts.findall("si", _NAMESPACE)]
            self._looks = _looks(part("xl/styles.xml"))
            sheet = part("xl/worksheets/sheet1.xml")
            book = part("xl/workbook.xml")
        self.name = book.find("sheets/sheet", _NAMESPACE).get("name")
        self.merged = sorted(node.get("ref") for node in sheet.iterfind("mergeCells/mergeCell", _NAMESPACE))
        self.widths = {column: float(node.get("width")) for node in sheet.iterfind("cols/col", _NAMESPACE)
                       for column in range(int(node.get("min")), int(node.get("max")) + 1)}
        self.heights = {int(row.get("r")): float(row.get("ht"))
                        for row in sheet.iterfind("sheetData/row", _NAMESPACE) if row.get("ht")}
        self.cells, self.looks = {}, {}
        for cell in sheet.iterfind("sheetData/row/c", _NAMESPACE):
            self.looks[cell.get("r")] = self._looks[int(cell.get("s", 0))]
            value = self._value(cell)
            if value not in (None, ""):
                self.cells[cell.get("r")] = value

    def _value(self, cell):
        node = cell.find("v", _NAMESPACE)
        if node is None:
            inline = cell.find("is", _NAMESPACE)
            return None if inline is None else "".join(inline.itertext())
        return self._texts[int(node.text)] if cell.get("t") == "s" else float(node.text)


def _looks(styles):
    """Of each style: font, whether it is bold, color, border, vertical alignment."""
    fonts = styles.findall("fonts/font", _NAMESPACE)
    fills = styles.findall("fills/fill", _NAMESPACE)
    borders = styles.findall("borders/border", _NAMESPACE)
    looks = []
    for style in styles.findall("cellXfs/xf", _NAMESPACE):
        font = fonts[int(style.get("fontId"))]
        color = fills[int(style.get("fillId"))].find("patternFill/fgColor", _NAMESPACE)
        sides = [side.get("style") for side in borders[int(style.get("borderId"))]]
        alignment = style.find("alignment", _NAMESPACE)
        looks.append((font.find("name", _NAMESPACE).get("val"), font.find("b", _NAMESPACE) is not None,
                      None if color is None else color.get("rgb"), tuple(sides),
                      None if alignment is None else alignment.get("vertical")))
    return looks
