"""Names that do harm where they are shown as they are, and what shown text must not hold."""

import csv
import html.parser
import re
import unicodedata
import xml.etree.ElementTree

NAMES = [
    b"</script><img src=x onerror=alert(1)>", b'"quoted\'name\\', b"\x1b[31mRED\x1b]0;title\x07\x9b31m", b"line1\nline2\r\nX: y",
    b"tab\there", b"\xff\xfe\xc0\x80bad", b"\xff\xfd\xc0\x80bad", b'a" -> "b" [label="x"]; "', b"}; x [label=<<b>B</b>>]; {",
    b"\\l\\N\\G\\E{|<p>}", b"=cmd|' /C calc'!A0", b"+1+cmd", b"-2+cmd", b"@SUM(A1)", b"\t=1+1", b"\r=1+1", b"'=1", b'a,b;"c"',
    b"<!--<script>", b"]]>&lt;&#60;svg onload=alert(2)>", b"&amp;", b"&", b"\xe2\x80\xa8\xe2\x80\xaeRTL\xe2\x81\xa6", b"\xe2\x80\xa9",
    b"zero\xe2\x80\x8bwidth", b"zerowidth", b"soft\xc2\xadhyphen", b"\xef\xbb\xbfbom", b"no\xc2\xa0break", b"no break", b"no  break",
    b"c1\xc2\x9b31m", b"nel\xc2\x85x", b"\xed\xa0\x80surrogate", b"\xf3\xa0\x80\xa1tags", b"\xee\x80\x80private", b"\xe3\x85\xa4filler",
    b"selector\xef\xb8\x8f", b"\xd8\x9cletter mark", b"__proto__", b"constructor", b"hasOwnProperty", b"toString",
    b"' onmouseover='alert(3)' x='", b"<svg/onload=alert(4)>", b"${alert(5)}", b"javascript:alert(6)", b"%s%n%d%999999d", b"-o evil",
    b"* star", b"..", b"../../../etc/passwd", b" ", b"  ", b"}", b"{", b"f {", b"> main", b"# comment", b"(3)", b"(5) name", b"cfn=(1)",
    b"1.0\t>\tmain", b"fn;frame 12", b"</textarea></title></style><iframe src=javascript:alert(7)>", b"a\x7fb\x01\x02", b"`id`$(id)",
    b"a\\x1b", b"a\x1b", b"a\\\\x1b", b"\\u{202e}", b"\xe2\x80\xae", b"\xc3\xa4\xe4\xb8\xad\xf0\x9f\x99\x82",
    b"long" + b"M" * 100000, b"long" + b"M" * 50000 + b"N" + b"M" * 49999, b"wide\n" * 200, b"_ZN" + b"1a" * 100 + b"E",
]

IGNORABLE = [(0x34F, 0x34F), (0x115F, 0x1160), (0x17B4, 0x17B5), (0x180B, 0x180F), (0x2800, 0x2800), (0x3164, 0x3164),
             (0xFE00, 0xFE0F), (0xFFA0, 0xFFA0), (0xE0000, 0xE0FFF)]


def shows(character):
    code = ord(character)
    if code < 0x7F:
        return code >= 0x20
    return (unicodedata.category(character) not in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp", "Zs")
            and not any(first <= code <= last for first, last in IGNORABLE))


def cut(name):
    """What src/store/symbols/names.h says of long names: their start, and g_str_hash() of the whole."""
    if len(name) <= 1024:
        return name
    value = 5381
    for byte in name:
        value = (value * 33 + (byte - 256 if byte > 127 else byte)) & 0xffffffff
    return name[:960] + b"...#%08x" % value


def spell(name):
    """What docs/names.md says, once more."""
    text, out = cut(name).decode("utf-8", "surrogateescape"), []
    for at, character in enumerate(text):
        code = ord(character)
        if 0xDC80 <= code <= 0xDCFF:
            out.append("\\x%02x" % (code - 0xDC00))
        elif character == "\\":
            out.append("\\\\")
        elif character == " " and (at in (0, len(text) - 1) or text[at - 1] == " "):
            out.append("\\x20")
        elif shows(character):
            out.append(character)
        else:
            out.append("\\x%02x" % code if code < 0x80 else "\\u{%x}" % code)
    return "".join(out)


def check_harmless(test, data, structure="\n"):
    """Bytes that may be sent to a terminal; gives their text."""
    text = data.decode("utf-8")
    bad = {character for character in text if not shows(character) and character not in structure}
    test.assertEqual(bad, set(), [line for line in text.split("\n") if bad & set(line)][:3])
    return text


def check_table(test, text, delimiter, quoting):
    """As many cells in each row as in the first, and none of them a formula; gives the rows."""
    rows = list(csv.reader(text.splitlines(), delimiter=delimiter, quoting=quoting))
    test.assertEqual({len(row) for row in rows}, {len(rows[0])})
    for cell in (cell for row in rows for cell in row):
        if cell[:1] in ("=", "+", "-", "@", "\t", "\r") and cell != "-":
            float(cell)
    return rows


SVG = "{http://www.w3.org/2000/svg}"
SVG_ELEMENTS = {SVG + name for name in "svg g title text polygon polyline path ellipse rect a defs symbol use clipPath mask".split()}


def check_svg(test, text):
    """Nothing in the picture but what draws; gives its texts."""
    root = xml.etree.ElementTree.fromstring(text)
    for element in root.iter():
        test.assertIn(element.tag, SVG_ELEMENTS)
        for name, value in element.attrib.items():
            test.assertFalse(name.lower().startswith("on"), name)
            test.assertFalse("href" in name and not value.startswith("#"), value)
    return ["".join(node.itertext()).replace("\xa0", " ") for node in root.iter() if node.tag == SVG + "text"]


class Tags(html.parser.HTMLParser):
    """The elements and attributes of a page, in order."""

    def __init__(self, text):
        super().__init__()
        self.found = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.found.append((tag, attributes))


def data_of(page):
    return re.search('id="data">(.*?)</script>', page, re.DOTALL).group(1)
