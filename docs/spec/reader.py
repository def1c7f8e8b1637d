#!/usr/bin/env python3
"""A second reader of levels 1 to 5, of locks, of trust channels, of identities and of shards, written from the pages in this folder alone.

    reader.py BUNDLE POLICY [GIVEN]    one line of JSON: {"verdict": ..., "codes": [...]}
    reader.py --lines                  the same for each line BUNDLE<tab>POLICY<tab>GIVEN of standard input
    reader.py --texts FILE SYNTAX      whether a text is read: "json" or "toml"; with --lines for each line FILE<tab>SYNTAX

    reader.py --channels CHANNEL       a host that follows a trust channel; with --lines for each line CHANNEL, as kit.md says
    reader.py --layouts CHANNEL        the same, from the image layouts of the kit
    reader.py --identities IDENTITY    whether an identity fits what a certificate says; with --lines for each line IDENTITY, as kit.md says
    reader.py --shards SHARD           the shard of a target; with --lines for each line SHARD, as kit.md says

GIVEN is what kit.md says of --lines: {"expect": ..., "dev": ..., "system": ..., "lock": ..., "clock": ..., "state": ...}. It is a check of the pages, not a tool to
install bundles with. It verifies no Sigstore bundle: where one came and a policy has an identity, it answers nothing. Of level 6 it reads locks, channels, identities and shards alone, and of a regular expression only its grammar.
The number beside a line is that of the statement. Needs Python 3.11 and python3-cryptography; b3sum for large vectors.
"""

import base64, binascii, datetime, functools, hashlib, ipaddress, itertools, json, math, pathlib, re, struct, subprocess, sys, urllib.parse, zlib
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

class Refused(Exception):
    def __init__(self, code, verdict="invalid"):
        super().__init__(code)
        self.code, self.verdict = code, verdict

def need(condition, code, verdict="invalid"):
    if not condition: raise Refused(code, verdict)

def attempt(code, errors, call, *arguments, **options):  # What a call returns; these errors refuse the bundle
    try:
        return call(*arguments, **options)
    except errors as error:
        raise Refused(code) from error

# 1 The archive
BLOCK = 512
MOST_FILES, MOST_FILE_BYTES, MOST_BYTES = 10_000, 536_870_912, 1_073_741_824
ROOT, MANIFEST, SIGNATURE = b"agent.bundle/", b"manifest.toml", b"SIGNATURES/manifest.sig"
SEGMENT = re.compile(rb"[A-Za-z0-9_][A-Za-z0-9._@+-]*")
DEVICE = re.compile(rb"con|prn|aux|nul|com[0-9]|lpt[0-9]")

def not_canonical(condition, why): need(condition, "not_canonical")
def read_bundle(data):  # A-1
    return read_archive(unwrapped(data) if data[:2] == b"\x1f\x8b" else data)

def unwrapped(data):  # G-1 to G-7
    not_canonical(len(data) >= 10 and data[2] == 8 and data[3] == 0, "the gzip header")
    inflate = zlib.decompressobj(wbits=-15)
    # One file more than the limits cannot hold: headers, padding and the end.
    inner = attempt("not_canonical", zlib.error, inflate.decompress, data[10:], MOST_BYTES + 2 * BLOCK * (MOST_FILES + 1))
    not_canonical(inflate.eof, "the gzip data is cut off or beyond the limits")
    not_canonical(inflate.unused_data == struct.pack("<II", zlib.crc32(inner), len(inner) & 0xFFFFFFFF), "the gzip trailer")
    return inner

def read_archive(data):  # A-3 to A-31: a dict of paths and contents
    files = {}
    at, total, last = 0, 0, None
    while data[at : at + BLOCK] != bytes(BLOCK):
        path, size = read_header(data[at : at + BLOCK])
        at += BLOCK
        not_canonical(last is None or rank(last) < rank(path), "order, or twice")  # A-25, A-26
        last = path
        total += size
        not_canonical(len(files) < MOST_FILES, "too many files")  # A-30
        not_canonical(size <= MOST_FILE_BYTES and total <= MOST_BYTES, "too large")  # A-31
        files[path] = memoryview(data)[at : at + size] if size > MOST_IN_PYTHON else data[at : at + size]
        at += size
        not_canonical(len(files[path]) == size and data[at : at + -size % BLOCK] == bytes(-size % BLOCK), "cut off, or padding")  # A-29
        at += -size % BLOCK
    not_canonical(data[at + BLOCK :] == bytes(BLOCK), "no second zero block, or bytes after it")  # A-4, A-5
    check_clashes(files)
    return files

def rank(path): return (0 if path == MANIFEST else 1 if path == SIGNATURE else 2, path)  # A-25
def read_header(header):  # A-7: the header made anew from its path and size is the same
    not_canonical(len(header) == BLOCK, "cut off")
    name, prefix = header[0:100].split(b"\0")[0], header[345:500].split(b"\0")[0]
    full = prefix + b"/" + name if prefix else name
    not_canonical(full.startswith(ROOT), "root folder")  # A-19
    check_path(full[len(ROOT) :])
    not_canonical(not full.startswith(ROOT + b"SIGNATURES/") or full == ROOT + SIGNATURE, "a file beside the signature")  # A-24
    not_canonical(re.fullmatch(rb"[0-7]{11}", header[124:135]), "size")
    size = int(header[124:135], 8)
    not_canonical(header == make_header(full[len(ROOT) :], size), "a header that is not canonical")
    return full[len(ROOT) :], size

def make_header(path, size):  # A-8 to A-18
    prefix, name = b"", ROOT + path
    if len(name) > 100:
        cut = name.rfind(b"/", 0, 156)
        prefix, name = name[:cut], name[cut + 1 :]
        not_canonical(cut > 0 and 1 <= len(name) <= 100, "too long")
    mode = b"0000755\0" if path.startswith(b"bin/") else b"0000644\0"
    before = name.ljust(100, b"\0") + mode + b"0000000\0" * 2 + b"%011o\0" % size + b"03560116604\0"
    after = b"0" + bytes(100) + b"ustar\0" + b"00" + bytes(64) + b"0000000\0" * 2 + prefix.ljust(155, b"\0") + bytes(12)
    return before + b"%06o\0 " % (sum(before) + 8 * 0x20 + sum(after)) + after

def check_path(path):  # A-20 to A-23
    segments = path.split(b"/")
    for segment in segments:
        not_canonical(SEGMENT.fullmatch(segment) and not segment.endswith(b"."), "a segment")
        not_canonical(not DEVICE.fullmatch(segment.split(b".")[0].lower()), "a device")
    not_canonical(segments[0].lower() != b"signatures" or segments[0] == b"SIGNATURES", "SIGNATURES")

def is_path(path):  # A-18, A-20 to A-23
    try:
        return check_path(path) or make_header(path, 0)
    except Refused:
        return False

def check_clashes(files):  # A-27, A-28
    spelled, folders = {}, set()
    for path in files:
        segments = path.split(b"/")
        parts = [b"/".join(segments[:count]) for count in range(1, len(segments) + 1)]
        folders.update(parts[:-1])
        for part in parts: not_canonical(spelled.setdefault(part.lower(), part) == part, "only the case differs")
    not_canonical(not folders & set(files), "a file is a folder")

# 2 The signature
PAYLOAD_TYPE = "application/vnd.in-toto+json"
P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P

def malformed(condition, why, code="signature_malformed"): need(condition, code)
def compact(value): return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "surrogatepass")
def from_base64(text):  # 2.5: the bytes of the one spelling, or None
    try:
        data = base64.b64decode(text.encode("ascii"), validate=True)
    except (UnicodeEncodeError, binascii.Error):
        return None
    return data if base64.b64encode(data).decode() == text else None

def check_signature(files, agent):  # S-3 to S-28: the key ids, and notAfter or None
    payload, signatures = read_envelope(files[SIGNATURE])
    message = b"DSSEv1 %d %s %d " % (len(PAYLOAD_TYPE), PAYLOAD_TYPE.encode(), len(payload)) + payload  # S-13
    for keyid, sig in signatures: check_one(keyid, sig, message)
    return [keyid for keyid, _ in signatures], check_statement(payload, files[MANIFEST], agent)

def read_envelope(data, kind=PAYLOAD_TYPE, most=16):  # S-3 to S-10
    malformed(len(data) <= 65_536, "too large")
    value = attempt("signature_malformed", (ValueError, RecursionError), lambda: json.loads(data.decode("utf-8")))
    malformed(isinstance(value, dict) and list(value) == ["payloadType", "payload", "signatures"], "other members")
    malformed(value["payloadType"] == kind, "payload type")
    malformed(is_text(value["payload"]) and isinstance(value["signatures"], list), "types")
    malformed(from_base64(value["payload"]) is not None, "payload")
    malformed(1 <= len(value["signatures"]) <= most, "how many signatures")
    found = []
    for one in value["signatures"]:
        malformed(isinstance(one, dict) and list(one) == ["keyid", "sig"] and all(map(is_text, one.values())), "a signature")
        found.append((one["keyid"], from_base64(one["sig"])))
        malformed(len(found[-1][1] or b"") == 64, "sig")
    keyids = [keyid.encode("utf-8", "surrogatepass") for keyid, _ in found]
    malformed(all(one < two for one, two in zip(keyids, keyids[1:])), "order, or a key twice")
    malformed(compact(value) == data, "another form")
    return from_base64(value["payload"]), found

def key_of(keyid):  # S-11, S-12
    malformed(keyid.startswith("ed25519:"), "kind of key")
    key = from_base64(keyid[len("ed25519:") :])
    malformed(key is not None and len(key) == 32, "key")
    malformed(y_of(key) < P and x_of(y_of(key)) is not None, "no point")
    malformed(not (x_of(y_of(key)) == 0 and key[31] & 0x80), "not canonical")
    malformed(y_of(key) not in SMALL, "a key of small order")
    return key

def check_one(keyid, sig, message):  # S-14 to S-17
    key = key_of(keyid)
    wrong = "signature_invalid"
    malformed(y_of(sig[:32]) not in SMALL, "R of small order", wrong)
    malformed(int.from_bytes(sig[32:], "little") < L, "S", wrong)
    attempt(wrong, InvalidSignature, Ed25519PublicKey.from_public_bytes(key).verify, sig, message)

def y_of(data): return int.from_bytes(data, "little") % 2**255
def root_of(square):  # A square root modulo P, or None
    root = pow(square, (P + 3) // 8, P)
    root = root if root * root % P == square else root * pow(2, (P - 1) // 4, P) % P
    return root if root * root % P == square else None

@functools.cache
def x_of(y):  # An x of the point with this y, or None
    return root_of((y * y - 1) * pow(D * y * y + 1, -1, P) % P)

# The y of the eight points of small order. Order 8: the double has y = 0, so y*y = -x*x, and the curve -x^2 + y^2 = 1 + d x^2 y^2 is 2 y^2 = 1 - d y^4.
EIGHTH = [root for sign in (1, -1) if (root := root_of((-1 + sign * root_of((1 + D) % P)) * pow(D, -1, P) % P)) is not None]
SMALL = {0, 1, P - 1, *EIGHTH, *(P - root for root in EIGHTH)}

def check_statement(payload, manifest, agent):  # S-18 to S-27: notAfter or None
    code = "statement_malformed"
    value = attempt(code, (ValueError, RecursionError), lambda: json.loads(payload.decode("utf-8")))

    def members(found, names, optional=()):
        malformed(isinstance(found, dict) and list(found) in ([*names], [*names, *optional]), "other members", code)
        return found

    members(value, ["_type", "subject", "predicateType", "predicate"])
    malformed(value["_type"] == "https://in-toto.io/Statement/v1", "_type", code)
    malformed(value["predicateType"] == "urn:runloop:agent-bundle:v1", "predicateType", code)
    malformed(isinstance(value["subject"], list) and len(value["subject"]) == 1, "subject", code)
    subject = members(value["subject"][0], ["name", "digest"])
    malformed(subject["name"] == "manifest.toml", "subject", code)
    digest = members(subject["digest"], ["blake3", "sha256"])
    malformed(all(is_text(text) and re.fullmatch("[0-9a-f]{64}", text) for text in digest.values()), "digest", code)
    predicate = members(value["predicate"], ["agent"], ["notAfter"])
    named = members(predicate["agent"], ["name", "version"], ["variant"])
    malformed(all(map(is_text, named.values())), "agent", code)
    malformed("notAfter" not in predicate or is_second(predicate["notAfter"]), "notAfter", code)
    malformed(compact(value) == payload, "another form", code)
    other = "statement_mismatch"
    malformed(digest == {"blake3": digest_of(manifest), "sha256": hashlib.sha256(manifest).hexdigest()}, "digests", other)
    malformed(named == {key: agent[key] for key in ("name", "version", "variant") if key in agent}, "agent", other)
    return predicate.get("notAfter")

def is_second(text):  # S-25
    found = is_text(text) and re.fullmatch("([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})Z", text)
    if not found: return False
    year, month, day, hour, minute, second = map(int, found.groups())
    return is_day(year, month, day) and hour < 24 and minute < 60 and second < 60

def is_day(year, month, day):
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return 1 <= month <= 12 and 1 <= day <= (31, 29 if leap else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)[month - 1]

# BLAKE3 (https://github.com/BLAKE3-team/BLAKE3-specs); b3sum for files that would take minutes here
MOST_IN_PYTHON = 256 * 1024
IV = struct.unpack(">8I", bytes.fromhex("6a09e667bb67ae853c6ef372a54ff53a510e527f9b05688c1f83d9ab5be0cd19"))
ORDER = (2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8)
CHUNK_START, CHUNK_END, PARENT, TOP = 1, 2, 4, 8
MIXED = ((0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15), (0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14))
MASK = 0xFFFFFFFF

def compress(chain, words, counter, length, flags):
    v = [*chain, *IV[:4], counter & MASK, counter >> 32, length, flags]
    for _ in range(7):
        for index, (a, b, c, d) in enumerate(MIXED):
            for word, turn_d, turn_b in ((words[2 * index], 16, 12), (words[2 * index + 1], 8, 7)):
                v[a] = (v[a] + v[b] + word) & MASK
                mixed = v[d] ^ v[a]
                v[d] = (mixed >> turn_d | mixed << (32 - turn_d)) & MASK
                v[c] = (v[c] + v[d]) & MASK
                mixed = v[b] ^ v[c]
                v[b] = (mixed >> turn_b | mixed << (32 - turn_b)) & MASK
        words = [words[place] for place in ORDER]
    return [v[place] ^ v[place + 8] for place in range(8)]

def chunk_output(data, counter):  # All blocks but the last are compressed; the last may be the root
    chain = IV
    blocks = [data[at : at + 64] for at in range(0, len(data), 64)] or [b""]
    for index, block in enumerate(blocks):
        flags = (CHUNK_START if index == 0 else 0) | (CHUNK_END if index == len(blocks) - 1 else 0)
        words = struct.unpack("<16I", bytes(block).ljust(64, b"\0"))
        if index == len(blocks) - 1: return chain, words, counter, len(block), flags
        chain = compress(chain, words, counter, len(block), flags)

def tree_output(data, counter):
    if len(data) <= 1024: return chunk_output(data, counter)
    # The left part has the most chunks of a power of two that leave one for the right.
    left = 1 << (((len(data) - 1) // 1024).bit_length() - 1)
    one = compress(*tree_output(data[: left * 1024], counter))
    two = compress(*tree_output(data[left * 1024 :], counter + left))
    return IV, [*one, *two], 0, 64, PARENT

def digest_of(data):
    if len(data) <= MOST_IN_PYTHON: return blake3(data)
    return subprocess.run(["b3sum", "--no-names"], input=data, capture_output=True, check=True).stdout.decode().strip()

@functools.lru_cache(maxsize=1000)
def blake3(data):  # Most vectors hold the same files
    chain, words, counter, length, flags = tree_output(data, 0)
    return struct.pack("<8I", *compress(chain, words, counter, length, flags | TOP)).hex()

# 3 Strict text
MOST_TEXTS = 67_108_864
WHITE = "\t-\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
BLANK = re.compile(f"[{WHITE}\u0085]*")
CONTROL = re.compile("[\0-\x1f\x7f-\x9f]")
BRACE = re.compile("[{}]")
SURROGATE = re.compile("[\ud800-\udfff]")
MOST_WHOLE = 2**53 - 1
def is_blank(text): return BLANK.fullmatch(text) is not None
def units(text): return len(text) + sum(character > "\uffff" for character in text)  # How many UTF-16 units
is_text, is_bool = (lambda value: isinstance(value, str)), (lambda value: isinstance(value, bool))
def is_number(value): return isinstance(value, (int, float)) and not is_bool(value)
def is_whole(value): return isinstance(value, int) and not is_bool(value)  # Written as a whole number: 1.0 is none
def are_texts(value, good=lambda text: True): return isinstance(value, list) and all(is_text(one) and good(one) for one in value)
def layers(value):  # The value, what is in it, what is in that, and so on
    layer = [value]
    while layer:
        yield layer
        layer = [child for one in layer if isinstance(one, (dict, list)) for child in (one.values() if isinstance(one, dict) else one)]

def walk(value): return (one for layer in layers(value) for one in layer)  # The value and all below it
def count_of(value): return sum(map(len, layers(value)))

def check_depth(value, code):  # U-13, U-23
    need(not any(isinstance(one, (dict, list)) for layer in itertools.islice(layers(value), 64, None) for one in layer), code)

def is_json(path):  # U-1
    return path in (b"tools.json", b"interfaces.json") or path.startswith(b"schemas/") and path.endswith(b".json")

def is_read(path): return is_json(path) or path in (MANIFEST, POLICY)  # U-1
def characters(data, kind):  # U-3, U-5 to U-6
    need(len(data) <= 16_777_216, kind + "/too-large")
    need(data[:3] != b"\xef\xbb\xbf", kind + "/encoding")
    text = attempt(kind + "/encoding", UnicodeDecodeError, str, data, "utf-8")
    need("\0" not in text, kind + "/encoding")
    need(text.strip(" \t\r\n"), kind + "/syntax")
    return text

def read_json(data):  # U-7 to U-14: a number is an int if it is written in digits alone, perhaps after a minus; -0 is 0.0
    hooks = {"object_pairs_hook": json_object, "parse_int": json_whole, "parse_float": json_real, "parse_constant": json_constant}
    parse = functools.partial(attempt, "json/unsafe-value", RecursionError, json.loads, characters(data, "json"), **hooks)
    value = attempt("json/syntax", ValueError, parse)
    check_depth(value, "json/unsafe-value")
    need(not any(is_text(one) and SURROGATE.search(one) for one in walk(value)), "json/unsafe-value")  # U-10
    return value

def json_object(pairs):
    value = dict(pairs)
    need(len(value) == len(pairs), "json/duplicate-key")  # U-8
    need("__proto__" not in value and not any(map(SURROGATE.search, value)), "json/unsafe-value")  # U-9, U-10
    need(len(value) <= 50_000, "json/too-large")  # U-14
    return value

def json_whole(text):  # U-11
    need(len(text) <= 17 and abs(int(text)) <= MOST_WHOLE, "json/unsafe-value")
    return 0.0 if text == "-0" else int(text)

def json_real(text):  # U-12
    need(math.isfinite(float(text)), "json/unsafe-value")
    return float(text)

def json_constant(text): raise Refused("json/syntax")
def read_texts(files, tokens):  # U-3 to U-28 for all texts but the manifest, whose tokens count here too: a dict of paths and values
    need(sum(len(data) for path, data in files.items() if is_read(path) or path == SIGNATURE) <= MOST_TEXTS, "json/too-large")  # U-4
    texts = {path: read_json(data) for path, data in files.items() if is_json(path)}
    need(sum(map(count_of, texts.values())) <= 2_000_000, "json/too-large")  # U-15
    return {**texts, POLICY: Toml(files[POLICY], tokens).root}

class Table(dict):  # A table of TOML; *made* is header, implied (by a longer header), key (a dotted one) or inline
    def __init__(self, made):
        super().__init__()
        self.made = made

class Tables(list): pass  # An array of tables, made by headers
class Moment: pass  # A date or a time: no text (U-27)

TOKEN = re.compile(
    r"""(?P<space>[ \t]+)|(?P<line>\r?\n)|(?P<comment>\#[^\r\n]*)
    |(?P<long>\"\"\"(?:[^"\\]|\\[\s\S]|"{1,2}(?!"))*"{3,5}|'''(?:[^']|'{1,2}(?!'))*'{3,5})
    |(?P<short>"(?:[^"\\\r\n]|\\[^\r\n])*"|'[^'\r\n]*')|(?P<sign>[.=,\[\]{}])|(?P<word>[^ \t\r\n.=,\[\]{}#"']+)""",
    re.X,
)
ESCAPE = re.compile(r'\\(?:([btnfr"\\])|u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8}))|(\\)')
ESCAPED = {"b": "\b", "t": "\t", "n": "\n", "f": "\f", "r": "\r", '"': '"', "\\": "\\"}
DIGITS = "[0-9](?:_?[0-9])*"
WHOLE = re.compile(f"[+-]?(?:0|[1-9](?:_?[0-9])*)|0x[0-9A-Fa-f](?:_?[0-9A-Fa-f])*|0o[0-7](?:_?[0-7])*|0b[01](?:_?[01])*")
REAL = re.compile(f"[+-]?(?:(?:0|[1-9](?:_?[0-9])*)(?:[.]{DIGITS})?(?:[eE][+-]?{DIGITS})?|inf|nan)")
DAY = "([0-9]{4})-([0-9]{2})-([0-9]{2})"
TIME = r"([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.[0-9]+)?"
MOMENT = re.compile(f"{DAY}(?:[Tt ]{TIME}(?:[Zz]|[+-]([0-9]{{2}}):([0-9]{{2}}))?)?")

class Toml:  # U-5 to U-26: *root* is the value, *tokens* how many tokens there were, those before counted
    def __init__(self, data, tokens_before=0, most=80_000):
        text = characters(data, "toml")
        need(not re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]|\r(?!\n)", text), "toml/syntax")  # U-17
        self.parts, self.at = toml_parts(text), 0
        self.tokens = tokens_before + sum(kind not in ("space", "end") for kind, _ in self.parts)
        need(self.tokens <= most, "toml/too-large")  # U-26
        self.root = Table("header")
        self.read()
        check_depth(self.root, "toml/unsafe-value")
    def next_is(self, *kinds): return self.parts[self.at][0] in kinds
    def take(self, sign):  # Whether this sign is next; it is passed then
        found = self.parts[self.at] == ("sign", sign)
        self.at += found
        return found
    def skip(self, *kinds):
        while self.next_is(*kinds): self.at += 1
    def read(self):
        table = self.root
        self.skip("space", "line", "comment")
        while not self.next_is("end"):
            if self.take("["): table = self.header()
            else: self.key_and_value(table, 1)
            self.skip("space")
            self.skip("comment")
            need(self.next_is("line", "end"), "toml/syntax")
            self.skip("space", "line", "comment")
    def header(self):  # U-16
        two_brackets = self.take("[")
        *way, last = self.key()
        need(self.take("]") and (not two_brackets or self.take("]")), "toml/syntax")
        table = self.root
        for part in way:
            table = table.setdefault(part, Table("implied"))
            table = table[-1] if isinstance(table, Tables) else table
            need(isinstance(table, Table) and table.made != "inline", "toml/duplicate-key")
        if two_brackets:
            tables = table.setdefault(last, Tables())
            need(isinstance(tables, Tables), "toml/duplicate-key")
            tables.append(Table("header"))
            return tables[-1]
        table = table.setdefault(last, Table("implied"))
        need(isinstance(table, Table) and table.made == "implied", "toml/duplicate-key")
        table.made = "header"
        return table
    def key(self):
        parts = []
        while not parts or self.take("."):
            self.skip("space")
            need(self.next_is("short") or re.fullmatch("[A-Za-z0-9_-]+", self.parts[self.at][1]), "toml/syntax")
            parts.append(self.string() if self.next_is("short") else self.next_part()[1])
            need(parts[-1] not in ("__proto__", "constructor"), "toml/unsafe-value")  # U-18
            self.skip("space")
        return parts
    def next_part(self):
        self.at += 1
        return self.parts[self.at - 1]
    def key_and_value(self, table, depth):  # U-16
        *way, last = self.key()
        need(self.take("="), "toml/syntax")
        self.skip("space")
        for part in way:
            table = table.setdefault(part, Table("key"))
            need(isinstance(table, Table) and table.made == "key", "toml/duplicate-key")
        need(last not in table, "toml/duplicate-key")
        table[last] = self.value(depth + 1)
    def value(self, depth):
        need(depth <= 65, "toml/unsafe-value")  # U-23
        if self.take("["): return self.array(depth)
        if self.take("{"): return self.inline(depth)
        return self.string() if self.next_is("long", "short") else self.bare()
    def array(self, depth):
        values = []
        self.skip("space", "line", "comment")
        while not self.take("]"):
            values.append(self.value(depth + 1))
            self.skip("space", "line", "comment")
            need(self.take(",") or self.parts[self.at] == ("sign", "]"), "toml/syntax")
            self.skip("space", "line", "comment")
        return values
    def inline(self, depth):
        table = Table("inline")
        self.skip("space")
        while not self.take("}"):
            need(not table or self.take(","), "toml/syntax")
            self.key_and_value(table, depth)
            self.skip("space")
        return table
    def string(self):
        kind, part = self.next_part()
        text = part[1:-1] if kind == "short" else re.sub(r"\A\r?\n", "", part[3:-3])
        if part.startswith('"""'):  # A backslash before a break takes it away; one that is escaped does not.
            text = re.sub(r"(\\[^ \t\r\n])|\\[ \t]*\r?\n[ \t\r\n]*", r"\1", text)
        need("\r\n" not in text, "toml/unsafe-value")  # U-22
        return ESCAPE.sub(unescaped, text) if part[0] == '"' else text
    def bare(self):  # A number, a date, a time, true or false
        start = self.at
        self.dotted()
        if re.fullmatch(DAY, self.parts[start][1]) and self.parts[self.at] == ("space", " ") and re.match("[0-9]", self.parts[self.at + 1][1]):
            self.at += 1
            self.dotted()
        return toml_scalar("".join(part for _, part in self.parts[start : self.at]))
    def dotted(self):
        while self.next_is("word") or self.parts[self.at] == ("sign", "."): self.at += 1

def toml_parts(text):
    parts, at = [], 0
    while at < len(text):
        found = TOKEN.match(text, at)
        need(found, "toml/syntax")
        kind, part = found.lastgroup, found.group()
        need(kind not in ("long", "short") or units(part) <= 32_768, "toml/too-large")  # U-24
        need(kind != "word" or len(part) <= 1024, "toml/too-large")  # U-25
        parts.append((kind, part))
        at = found.end()
    return [*parts, ("end", "")]

def unescaped(found):
    simple, four, eight, wrong = found.groups()
    number = int(four or eight or "0", 16)
    need(not wrong and number <= 0x10FFFF and not 0xD800 <= number <= 0xDFFF, "toml/syntax")
    return ESCAPED[simple] if simple else chr(number)

def toml_scalar(text):
    if text in ("true", "false"): return text == "true"
    if WHOLE.fullmatch(text) or REAL.fullmatch(text):
        number = int(text.replace("_", ""), 0) if WHOLE.fullmatch(text) else float(text.replace("_", ""))
        need(abs(number) <= MOST_WHOLE if is_whole(number) else math.isfinite(number), "toml/unsafe-value")  # U-19, U-20
        return number
    found = MOMENT.fullmatch(text)
    day, time = (found.groups()[:3], found.groups()[3:]) if found else ((), re.fullmatch(TIME, text))
    need(time, "toml/syntax")
    time = [int(digits or "0") for digits in (time if found else time.groups())]
    need(not day or int(day[0]), "toml/unsafe-value")  # U-21
    need((not day or is_day(*map(int, day))) and all(one < most for one, most in zip(time, (24, 60, 60, 24, 60))), "toml/syntax")
    return Moment()

# 4 The manifest
POLICY, TOOLS = b"policy.caps", b"tools.json"
SHAPE = "manifest/shape"
NAME, VARIANT = re.compile("[a-z][a-z0-9_]*"), re.compile("[a-z0-9][a-z0-9_-]*")
NUMBER = "(?:0|[1-9][0-9]*)"
BEFORE = f"(?:{NUMBER}|[0-9]*[A-Za-z-][0-9A-Za-z-]*)"
VERSION = re.compile(rf"({NUMBER})\.({NUMBER})\.({NUMBER})(?:-({BEFORE}(?:\.{BEFORE})*))?(?:\+([0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*))?")
ENTRIES = {"entry_wasm": "wasm32-wasip1", "entry_native": "native-shim"}

def table_in(table, name):  # The table of this name; an empty one if there is none
    need(isinstance(table.get(name, {}), dict), SHAPE)
    return table.get(name, {})

def check_manifest(root):  # M-2 to M-25: the artifacts, each a path and a digest or None, the entry first
    agent = table_in(root, "agent")
    check_agent(agent)
    need(all(are_texts(table_in(root, "ports").get(name, [])) for name in ("in", "out")), SHAPE)  # M-4
    table_in(table_in(root, "schemas"), "with")  # M-5
    need(table_in(root, "caps").get("file") == "policy.caps", "manifest/fixed-path")  # M-7
    artifacts = table_in(root, "artifacts")
    files = table_in(artifacts, "files")
    need(all(map(is_text, files.values())), SHAPE)  # M-22
    entries = [(name, where[name]) for where in (agent, root) for name in ENTRIES if name in where]
    fixed = {name: artifacts[name] for name in ("tools", "policy") if name in artifacts}
    tables = [table for _, table in entries] + list(fixed.values())
    for table in tables:  # M-16
        need(isinstance(table, dict) and all(is_text(table.get(name, "-")) for name in ("path", "blake3")), SHAPE)
        need(not is_blank(table.get("path", "-")), SHAPE)
    version = fixed.get("tools", {}).get("version", 1)
    need(is_whole(version) and version >= 1, SHAPE)  # M-23
    check_stray(root, [root.get("schemas"), root.get("lint"), files], tables)
    need(all(table.get("path") == {"tools": "tools.json", "policy": "policy.caps"}[name] for name, table in fixed.items()), "manifest/fixed-path")  # M-20
    entries = [(name, table) for name, table in entries if "path" in table]
    need(entries, "manifest/entry-missing")  # M-17
    need(len(entries) == 1, "manifest/entry-twice")
    need(ENTRIES[entries[0][0]] == agent["kind"], "manifest/kind")  # M-19
    named = [(entries[0][1]["path"], entries[0][1].get("blake3")), *files.items()]
    twice = {"policy.caps", "tools.json"} & {path for path, _ in named}
    need(not twice, "manifest/artifact-twice" if twice & {table["path"] for table in fixed.values()} else "manifest/fixed-path")  # M-21
    named = [(path.encode(), digest) for path, digest in named + [(table["path"], table.get("blake3")) for table in fixed.values()]]
    for path, _ in named:  # M-24
        need(is_path(path) and path != MANIFEST and path.split(b"/")[0] != b"SIGNATURES", "manifest/artifact-path")
    need(len(named) == len({path for path, _ in named}), "manifest/artifact-twice")  # M-25
    return named

def check_agent(agent):  # M-3, M-8 to M-15
    need(all(is_text(agent.get(name)) for name in ("name", "version", "kind")), SHAPE)
    version = VERSION.fullmatch(agent["version"])
    need(NAME.fullmatch(agent["name"]) and version and len(agent["version"]) <= 256, SHAPE)
    need("variant" not in agent or is_text(agent["variant"]) and VARIANT.fullmatch(agent["variant"]), SHAPE)
    need(agent["kind"] in ENTRIES.values(), SHAPE)
    need(is_short_name(agent["name"]) and is_short_name(agent.get("variant", "")), "manifest/name")
    need(all(int(number) <= MOST_WHOLE for number in version.groups()[:3]), "manifest/name")
    need(len(agent["name"] + agent.get("variant", "") + agent["version"]) <= 237, "manifest/name")

def is_short_name(name): return len(name) <= 200 and not DEVICE.fullmatch(name.encode())  # M-10, M-11
def check_stray(root, free, artifacts):  # M-18
    stack = [root]
    while stack:
        value = stack.pop()
        if any(value is one for one in free): continue
        stray = isinstance(value, dict) and ("path" in value or "blake3" in value)
        need(not stray or any(value is one for one in artifacts), "manifest/stray-digest")
        stack.extend(value.values() if isinstance(value, dict) else value if isinstance(value, list) else ())

def check_digests(files, named):  # M-26 to M-30
    need(all(path in files for path, _ in named), "manifest/file-missing")
    need(set(files) - {MANIFEST, SIGNATURE} <= {path for path, _ in named}, "manifest/digest-missing")
    for path, digest in named:
        need(digest and re.fullmatch("[0-9A-Fa-f]{64}", digest), "manifest/digest-format")
        need(digest != "0" * 64, "manifest/digest-pending")
        need(digest.lower() == digest_of(files[path]), "manifest/digest-stale")

# 5 The entry
MALFORMED = "wasm/malformed"
SECTION_ORDER = (1, 2, 3, 4, 5, 13, 6, 7, 8, 9, 12, 10, 11)

def check_entry(files, path, native):  # W-1 to W-4, W-19
    data = files[path]
    magic = bytes(data[:4]) == b"\0asm"
    if native: return need(not magic, "wasm/native-format")
    need(not magic or bytes(data[6:8]) != b"\1\0", "wasm/component")
    need(magic and bytes(data[4:8]) == b"\1\0\0\0", "wasm/not-wasm")
    if path in modules_with_room(files): need((b"_start", 0) in Module(bytes(data)).exports.items(), "wasm/no-entry")

def modules_with_room(files):  # W-4
    room, found = MOST_TEXTS, set()
    for path, data in files.items():
        if not is_read(path) and bytes(data[:4]) == b"\0asm" and len(data) <= min(33_554_432, room):
            room -= len(data)
            found.add(path)
    return found

class Module:  # W-5 to W-18, in the order of the bytes
    def __init__(self, data):
        self.data, self.at, self.end = data, 8, len(data)
        self.exports, self.counts = {}, {}
        order, sections = -1, 0
        while self.at < len(data):
            sections += 1
            self.known(sections <= 10_000)  # W-11
            number = self.byte()
            self.known(number <= 13)
            need(number == 0 or SECTION_ORDER.index(number) > order, MALFORMED)  # W-12
            order = SECTION_ORDER.index(number) if number else order
            self.end = self.after(self.unsigned(32))
            self.section(number)
            need(self.at == self.end, MALFORMED)  # W-13
            self.end = len(data)
        need(self.counts.get(3, 0) == self.counts.get(10, 0), MALFORMED)  # W-18
        need(self.counts.get(12) in (None, self.counts.get(11, 0)), MALFORMED)  # W-18
    def known(self, condition): need(condition, MALFORMED, "indeterminate")
    def after(self, size):  # W-8: where so many bytes end
        need(size <= self.end - self.at, MALFORMED)
        return self.at + size
    def take(self, size):
        self.at = self.after(size)
        return self.data[self.at - size : self.at]
    def byte(self): return self.take(1)[0]
    def unsigned(self, bits):  # W-6
        number = 0
        for shift in range(0, bits, 7):
            byte = self.byte()
            number |= (byte & 0x7F) << shift
            if byte < 0x80: break
        need(byte < 0x80 and number < 1 << bits, MALFORMED)
        return number
    def name(self):  # W-7
        size = self.unsigned(32)
        name = self.take(size)
        self.known(size <= 100_000)
        attempt(MALFORMED, UnicodeDecodeError, name.decode, "utf-8")
        return name
    def section(self, number):  # W-13
        if number == 0: self.name()
        elif number in (8, 12): self.counts[number] = self.unsigned(32)
        else:
            count = self.counts[number] = self.unsigned(32)
            need(count * {2: 4, 7: 3}.get(number, 1) <= self.end - self.at, MALFORMED)  # W-9
            self.known(count <= (100_000 if number in (2, 7) else 1_000_000))  # W-10
            read = {2: self.imported, 3: lambda: self.unsigned(32), 7: self.exported, 10: lambda: self.take(self.unsigned(32))}.get(number)
            for _ in range(count if read else 0): read()
        if number in (0, 1, 4, 5, 6, 9, 11, 13): self.at = self.end
    def kind(self):
        kind = self.byte()
        self.known(kind <= 4)
        return kind
    def imported(self):  # W-14
        self.name()
        self.name()
        kind = self.kind()
        if kind == 4: self.known(self.byte() == 0)
        if kind in (0, 4): self.unsigned(32)
        if kind in (1, 3): self.value_type()
        if kind == 3: self.known(self.byte() <= 1)
        if kind in (1, 2): self.limits()
    def value_type(self):  # W-15
        kind = self.byte()
        self.known(0x69 <= kind <= 0x74 or 0x7B <= kind <= 0x7F or kind in (0x63, 0x64))
        for count in range(5 if kind in (0x63, 0x64) else 0):
            byte = self.byte()
            need(count < 4 or byte <= 0x0F or 0x70 <= byte <= 0x7F, MALFORMED)
            if byte < 0x80: return
    def limits(self):  # W-16
        flags = self.byte()
        self.known(flags <= 15)
        self.unsigned(64)
        if flags & 1: self.unsigned(64)
        if flags & 8: self.unsigned(32)
    def exported(self):  # W-17
        name = self.name()
        need(name not in self.exports, MALFORMED)
        self.exports[name] = self.kind()
        self.unsigned(32)

# 6 The policy
FOLDERS, BASES = ("fs", "fs_ro", "fs_rw"), ("kb_read", "kb_write")
FAMILIES = (*FOLDERS, *BASES, "secrets", "net", "time", "model", "exec")
SPACES = "".join(map(chr, (*range(0x09, 0x0E), 0x20, 0x85, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x2028, 0x2029, 0x202F, 0x205F, 0x3000)))
LABEL = re.compile("[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?")
BYTE = "(?:0|[1-9][0-9]?|1[0-9][0-9]|2[0-4][0-9]|25[0-5])"
IPV4 = re.compile(rf"{BYTE}(?:\.{BYTE}){{3}}")

def read_policy(root):
    """C-1 to C-12: the grants, pairs of a family and a scope. None is the whole family; the family is None if nobody knows it, "http" with all hosts for allow_http."""
    need(isinstance(root.get("capabilities"), dict), "caps/shape")
    grants = []
    for family, value in root["capabilities"].items():
        clear = False
        if family == "net" and isinstance(value, dict):  # C-4
            need(set(value) <= {"hosts", "allow_http"} and is_bool(value.get("allow_http", False)), "caps/shape")
            need("hosts" in value, "caps/no-hosts")
            clear, value = value.get("allow_http"), value["hosts"]
        if family not in FAMILIES: grants.append((None, None))  # C-5
        elif is_bool(value):
            need(family in (*BASES, "time", "model", "exec"), "caps/shape")
            grants += [(family, None)] if value else []
        else: grants += [(family, host_of(text) if family == "net" else text) for text in entries_of(family, value)]
        if clear and value: grants.append(("http", tuple(host_of(text) for text in value)))
    return grants

def entries_of(family, value):  # C-2, C-3, C-6 to C-8: the entries of a list
    need(family not in ("time", "model") and are_texts(value, lambda text: len(text) <= 4096), "caps/shape")
    need(family in BASES or not any(map(is_blank, value)), "caps/shape")
    need(family != "exec" or all(text.startswith("/") for text in value), "caps/shape")
    if family in BASES: value = [text.strip(SPACES) for text in value if text.strip(SPACES)]
    if family == "net": value = [host.strip(SPACES) + colon + rest for host, colon, rest in (text.partition(":") for text in value)]
    need(all(is_entry(family, text) for text in value), "caps/entry")
    return value

def is_entry(family, text):  # C-8 to C-12
    if CONTROL.search(text) or is_blank(text) or is_blank(text[0]) or is_blank(text[-1]) or BRACE.search(text): return False
    if family in FOLDERS: return text.startswith(("/", "~/")) and not {".", ".."} & set(text.split("/")[1:])
    if family in ("net", "exec"): return host_of(text) if family == "net" else is_program(text)
    return "*" not in text

def is_program(text):  # C-11, T-21
    first, *parts = text.split("/")
    return first == "" and parts and not {"", ".", ".."} & set(parts) and not BRACE.search(text)

def host_of(text):  # 6.3: the host in its normal spelling, and the port or None; or None
    found = re.fullmatch(r"(\[[^\]]*\]|[^:\[\]]*)(?::([0-9]{1,5}))?", text)
    if not found or found[2] and not 1 <= int(found[2]) <= 65535: return None  # C-14
    host = ipv6(found[1][1:-1]) if text.startswith("[") else found[1].lower() if is_name(found[1]) else None
    return host and (host, int(found[2]) if found[2] else None)

def is_name(name):  # C-15 to C-16
    labels = name.split(".")
    if len(name) > 253 or not all(map(LABEL.fullmatch, labels)): return False
    return not re.fullmatch("[0-9]+|0[xX][0-9A-Fa-f]*", labels[-1]) or IPV4.fullmatch(name)

def ipv6(text):  # C-17: the normal spelling, or None
    try:
        number = int(ipaddress.IPv6Address(text.replace("%", "!")))
    except ValueError:
        return None
    plain = ":".join(f"{number >> shift & 0xFFFF:x}" for shift in range(112, -1, -16))
    zeros = max(re.findall("(?<![0-9a-f])0(?::0)+(?![0-9a-f])", plain), key=len, default=None)
    return "[" + (re.sub(":?(?<![0-9a-f])" + zeros + "(?![0-9a-f]):?", "::", plain, count=1) if zeros else plain) + "]"

def is_capability(text):  # C-18 to C-22
    family, sign, scope = re.fullmatch("([^:.]*)([:.]?)(.*)", text, re.S).groups()
    if family not in FAMILIES or sign == "." and family not in BASES: return False
    return not sign or family not in ("time", "model") and not is_blank(scope) and "*" not in scope and is_entry(family, scope)

# 7 The tools
PLACEHOLDER = re.compile(rf"input(?:\.[A-Za-z0-9_-]+)+|secret:([^{WHITE}{{}}]+)")
ALIAS = re.compile("(?:schema:)?([A-Za-z0-9_][A-Za-z0-9_.@+/-]*)")
HEADER = re.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]+")
OWN_HEADERS = re.compile("host|content-length|transfer-encoding|connection|keep-alive|te|trailer|upgrade|expect|proxy-.*")
ENV_REFUSED = """
PATH PATHEXT COMSPEC SHELL LD_* DYLD_* LIBPATH SHLIB_PATH GCONV_PATH LOCPATH NLSPATH GLIBC_TUNABLES BASH_* BASHOPTS SHELLOPTS ENV IFS CDPATH FPATH
PROMPT_COMMAND PS4 ZDOTDIR INPUTRC PYTHON* PIP_* NODE_* NPM_CONFIG_* YARN_* TS_NODE_* DENO_* BUN_* PERL* RUBY* GEM_* BUNDLE_* PHPRC PHP_* JAVA_*
_JAVA_OPTIONS JDK_* CLASSPATH MAVEN_* GRADLE_* SBT_OPTS DOTNET_* COR_* CORECLR_* COMPLUS_* LUA_* R_* ERL_* JULIA_* GUILE_* TCLLIBPATH AWKPATH AWKLIBPATH
CARGO_* RUSTC* RUSTFLAGS GOFLAGS GOROOT GOTOOLCHAIN OPENSSL_* GIO_* GTK_MODULES GTK_PATH QT_PLUGIN_PATH GIT_* EDITOR VISUAL PAGER BROWSER LESSOPEN
LESSCLOSE *_ASKPASS *_EDITOR *_PAGER *_BROWSER *_RSH MANPAGER MAKEFLAGS MAKEFILES TAR_OPTIONS VIMINIT EXINIT
"""
ENV_LIST = re.compile("(?!NODE_ENV$)(?:" + "|".join(ENV_REFUSED.split()).replace("*", ".*") + ")", re.S)

def shaped(condition): need(condition, "tools/shape")
def closed(value, required, optional, more=True):  # An object with these members; with *more*, also $schema and names that begin with x-
    shaped(isinstance(value, dict) and all(name in value for name in required))
    shaped(all(name in required + optional or more and (name == "$schema" or name.startswith("x-")) for name in value))

def is_short(value, most): return is_text(value) and not is_blank(value) and len(value) <= most
def is_schema(value): return isinstance(value, (dict, bool))
def short_texts(value, most, least=1):  # A list of at most 10,000 texts; blank ones count if *least* is 0
    shaped(are_texts(value, lambda text: is_short(text, most) or least == 0 and len(text) <= most) and len(value) <= 10_000)
    return value

def check_tools(root, manifest):  # T-1 to T-40: the tools
    version = root.get("version") if isinstance(root, dict) else None
    need(is_whole(version) and 1 <= version < 10**15, "tools/version")  # T-1
    need(version == 1, "tools/version", "indeterminate")  # T-2
    need(manifest["artifacts"]["tools"].get("version") == 1, "manifest/tools-version")  # T-3
    closed(root, ("version",), ("tools",))  # T-4
    tools = root.get("tools", [])
    shaped(is_text(root.get("$schema", "")) and isinstance(tools, list))
    for tool in tools: check_tool(tool)
    need(len({tool["id"] for tool in tools}) == len(tools), "tools/duplicate-id")  # T-7
    return tools

def check_tool(tool):  # T-5 to T-14
    optional = ("schema_refs", "capabilities", "secrets", "budget", "requires_confirmation", "observability", "x-rlp")
    closed(tool, ("id", "description", "transport", "input_schema", "result_schema"), optional)
    shaped(is_short(tool["id"], 256) and is_short(tool["description"], 65_536))  # T-6, T-8
    shaped(is_schema(tool["input_schema"]) and is_schema(tool["result_schema"]))  # T-9
    references = tool.get("schema_refs", {})
    shaped(isinstance(references, dict))  # T-10
    for value in references.values(): shaped(is_schema(value) or is_text(value) and len(value) <= 256 and ALIAS.fullmatch(value))
    need(not any(map(BRACE.search, short_texts(tool.get("secrets", []), 4096))), "caps/capability-syntax")  # T-11, T-12
    need(all(map(is_capability, short_texts(tool.get("capabilities", []), 4096))), "caps/capability-syntax")  # T-12
    budget, observability = [{} if tool.get(name) is None else tool[name] for name in ("budget", "observability")]
    closed(budget, (), ("tokens", "usd"))  # T-13
    shaped(budget.get("usd") is None or is_number(budget["usd"]) and budget["usd"] >= 0)
    check_whole(budget.get("tokens"), 0, math.inf)
    shaped(is_bool(tool.get("requires_confirmation", False)))  # T-14
    closed(observability, (), ("tags",))  # T-13
    short_texts(observability.get("tags", []), 256, 0)
    check_extension(tool.get("x-rlp", {}))
    check_transport(tool["transport"], tool.get("secrets", []))

def check_whole(value, least, most):  # T-17
    shaped(value is None or is_number(value) and value == math.floor(value) and least <= value <= most)
    need(value is None or is_whole(value), "tools/whole-number")

def check_extension(extension):  # T-15 to T-17, T-39
    closed(extension, (), ("stdin", "timeout_ms", "memory_mb", "env"), more=False)
    shaped(is_bool(extension.get("stdin", False)) and None not in (extension.get("timeout_ms", 1), extension.get("memory_mb", 16)))
    check_whole(extension.get("timeout_ms"), 0, 3_600_000)
    check_whole(extension.get("memory_mb"), 16, 1_048_576)
    names = short_texts(extension.get("env", []), 256)
    shaped(all(re.fullmatch("[A-Z_][A-Z0-9_]*", name) for name in names) and len(set(names)) == len(names))
    need(not any(map(ENV_LIST.fullmatch, names)), "tools/env")

def check_transport(transport, secrets):  # T-18 to T-24
    shaped(isinstance(transport, dict) and transport.get("kind") in ("exec", "http"))
    if transport["kind"] == "exec":
        closed(transport, ("kind", "command"), ("args",))
        shaped(is_short(transport["command"], 4096))
        return check_program(transport["command"], short_texts(transport.get("args", []), 32_767, 0), secrets)
    closed(transport, ("kind", "method", "url"), ("headers",))
    headers = transport.get("headers", {})
    shaped(is_text(transport["method"]) and re.fullmatch("[A-Z]{1,256}", transport["method"]))  # T-23
    shaped(is_short(transport["url"], 8192) and isinstance(headers, dict) and len(headers) <= 10_000)
    shaped(all(is_text(value) and len(value) <= 8192 for value in headers.values()))
    check_url(transport["url"])
    check_headers(headers, secrets)

def check_program(command, arguments, secrets):  # T-21, T-22, T-35, T-40
    need(is_program(command) and not CONTROL.search(command), "tools/command")
    need(not any(map(CONTROL.search, arguments)), "tools/arguments")
    need(not any(secret for argument in arguments for secret, _ in placeholders(argument)), "tools/placeholder")
    need(not any(ENV_LIST.fullmatch(variable_of(secret)) for secret in secrets), "tools/env")

def variable_of(secret):  # T-40
    return re.sub("[^A-Za-z0-9]", lambda found: "_" * units(found[0]), secret).upper()

def check_url(url):  # T-25 to T-28, T-36, T-38
    need(not re.search(r"[\x00- \x7f\\]", url), "tools/url")
    found = re.match("https?://([^/?#]*)", url)
    host = host_of(found[1]) if found else None
    need(host and re.sub(":[0-9]+$", "", found[1]) == host[0], "tools/url")
    found = placeholders(url)
    need(not any(secret for secret, _ in found), "secrets/in-url")
    need(not any("#" in before for _, before in found), "tools/placeholder")

def check_headers(headers, secrets):  # T-29 to T-32, T-37
    need(all(HEADER.fullmatch(name) and not OWN_HEADERS.fullmatch(name.lower()) for name in headers), "tools/header")
    need(len({name.lower() for name in headers}) == len(headers), "tools/header")
    need(all(re.fullmatch("[\t -~]*", value) for value in headers.values()), "tools/header")
    need(all(secret in (None, *secrets) for value in headers.values() for secret, _ in placeholders(value)), "secrets/unlisted")

def placeholders(text):  # T-33, T-34: for each placeholder its secret or None, and the text before it without placeholders
    found, before = [], ""
    while "{{" in text:
        plain, _, text = text.partition("{{")
        inside, end, text = text.partition("}}")
        match = PLACEHOLDER.fullmatch(inside)
        need(end and match, "tools/placeholder")
        before += plain
        found.append((match[1], before))
    return found

# 7.8 Interfaces
KINDS = dict(pair.split(":") for pair in """
    interface_id:tool-interface mutation_id:input-mutation progress_id:progress event_id:event hook_id:hook strategy:result-persistence
    decision_id:permission-decision result_id:result permission_profile_id:permission-profile execution_profile_id:execution-profile
    scheduler_policy_id:scheduler-policy loading_state:deferred-tool lifecycle:tool-declaration tool_kind:tool-declaration
    namespace:tool-declaration invocation_id:invocation surface_id:tool-surface""".split())
RECORD_SCHEMAS = pathlib.Path(__file__).resolve().parents[2] / "schemas" / "agent-tool"
INTERNAL = "tools/interface-internal-field"

def check_interfaces(value, tools):  # T-41, T-42, T-44, T-43, T-45
    shape = "tools/interface-shape"
    if isinstance(value, dict) and "records" in value: value = value["records"]
    elif isinstance(value, dict) and {"schema_version", "tool_id", "interface_id"} & set(value): value = [value]
    need(isinstance(value, list) and all(isinstance(record, dict) for record in value), shape)
    records = [(record, next((kind for name, kind in KINDS.items() if name in record), "tool-interface")) for record in value]
    for record, kind in records: need(fits(record, *record_schema(f"{kind}.schema.json")), shape)  # T-42
    contracts = [(record.get("tool_id"), record) for record, kind in records if kind == "tool-interface"]
    contracts += [(record.get("tool_id"), record.get("input_contract")) for record, kind in records if kind == "tool-declaration"]
    for tool in {tool for tool, _ in contracts if is_text(tool)}:
        own = [contract for owner, contract in contracts if owner == tool and isinstance(contract, dict)]
        check_fields(own, [one["input_schema"] for one in tools if one["id"] == tool][:1])

def check_fields(contracts, declared):  # T-44, T-43, T-45, for the contracts of one tool
    models = [contract.get(name) for contract in contracts for name in ("model_input_schema", "schema")] + declared
    models = [Document(model) for model in models if isinstance(model, dict)]
    runtimes = [Document(one) for one in (contract.get("runtime_input_schema") for contract in contracts) if isinstance(one, dict)]
    need(sum(len(one.places) for one in models + runtimes) <= 100_000, INTERNAL)  # T-43
    need(all(place.get("visibility") != "internal" for model in models for place in model.places.values()), INTERNAL)  # T-44
    need(not any(exposed(model.value, runtime.value) for model in models for runtime in runtimes), INTERNAL)  # T-45

def exposed(model, runtime):  # T-45: whether the model's schema has a field that the runtime's marks
    shown, known = fields(model), fields(runtime)
    both = [(shown[name], known[name]) for name in shown if name in known]
    return any(isinstance(field, dict) and field.get("visibility") == "internal" or exposed(one, field) for one, field in both)

def fields(schema):
    properties = schema.get("properties") if isinstance(schema, dict) else None
    return {name: value for name, value in properties.items() if is_schema(value)} if isinstance(properties, dict) else {}

def same(one, two):  # Whether two JSON values are equal: 1 and 1.0 are, 1 and true are not
    if isinstance(one, dict) and isinstance(two, dict): return set(one) == set(two) and all(same(one[name], two[name]) for name in one)
    if isinstance(one, list) and isinstance(two, list): return len(one) == len(two) and all(map(same, one, two))
    return is_bool(one) == is_bool(two) and one == two

@functools.cache
def record_schema(name): return (json.loads((RECORD_SCHEMAS / name).read_text()),) * 2

TYPES = {
    "object": lambda value: isinstance(value, dict), "array": lambda value: isinstance(value, list), "string": is_text, "boolean": is_bool,
    "null": lambda value: value is None, "number": is_number, "integer": lambda value: is_number(value) and value == math.floor(value),
}
NOTES = {"$schema", "$id", "$defs", "definitions", "title", "description", "$comment", "default", "examples", "format", "deprecated", "then", "else"}
ANY, OF_TEXT, OF_NUMBER, OF_LIST, OF_OBJECT = (lambda value: True), is_text, is_number, TYPES["array"], TYPES["object"]
CHECKS = {  # of each keyword: the values that it judges, and whether a value is good, by the keyword's value, the schema around it and the root
    "const": (ANY, lambda value, want, schema, root: same(value, want)),
    "enum": (ANY, lambda value, want, schema, root: any(same(value, one) for one in want)),
    "type": (ANY, lambda value, want, schema, root: any(TYPES[one](value) for one in ([want] if is_text(want) else want))),
    "$ref": (ANY, lambda value, want, schema, root: fits(value, *referred(want, root))),
    "allOf": (ANY, lambda value, want, schema, root: all(fits(value, one, root) for one in want)),
    "anyOf": (ANY, lambda value, want, schema, root: any(fits(value, one, root) for one in want)),
    "oneOf": (ANY, lambda value, want, schema, root: sum(fits(value, one, root) for one in want) == 1),
    "not": (ANY, lambda value, want, schema, root: not fits(value, want, root)),
    "if": (ANY, lambda value, want, schema, root: fits(value, schema.get("then" if fits(value, want, root) else "else", True), root)),
    "minimum": (OF_NUMBER, lambda value, want, schema, root: value >= want),
    "maximum": (OF_NUMBER, lambda value, want, schema, root: value <= want),
    "exclusiveMinimum": (OF_NUMBER, lambda value, want, schema, root: value > want),
    "minLength": (OF_TEXT, lambda value, want, schema, root: len(value) >= want),
    "maxLength": (OF_TEXT, lambda value, want, schema, root: len(value) <= want),
    "pattern": (OF_TEXT, lambda value, want, schema, root: re.search(want, value) is not None),
    "minItems": (OF_LIST, lambda value, want, schema, root: len(value) >= want),
    "maxItems": (OF_LIST, lambda value, want, schema, root: len(value) <= want),
    "uniqueItems": (OF_LIST, lambda value, want, schema, root: not any(same(*pair) for pair in itertools.combinations(value, 2))),
    "items": (OF_LIST, lambda value, want, schema, root: all(fits(one, want, root) for one in value)),
    "contains": (OF_LIST, lambda value, want, schema, root: any(fits(one, want, root) for one in value)),
    "minProperties": (OF_OBJECT, lambda value, want, schema, root: len(value) >= want),
    "required": (OF_OBJECT, lambda value, want, schema, root: all(name in value for name in want)),
    "propertyNames": (OF_OBJECT, lambda value, want, schema, root: all(fits(name, want, root) for name in value)),
    "properties": (OF_OBJECT, lambda value, want, schema, root: all(fits(value[name], one, root) for name, one in want.items() if name in value)),
    "additionalProperties": (OF_OBJECT, lambda value, want, schema, root: all(fits(value[name], want, root) for name in others(value, schema))),
}

def fits(value, schema, root):  # T-42: whether the value is valid. A keyword that is not here is an error of this program.
    if is_bool(schema): return schema
    unknown = set(schema) - set(CHECKS) - NOTES
    assert not unknown, unknown
    return all(name in NOTES or not CHECKS[name][0](value) or CHECKS[name][1](value, want, schema, root) for name, want in schema.items())

def others(value, schema): return set(value) - set(schema.get("properties", {}))
def follow(value, steps):  # What a pointer leads to, or None
    for step in steps:
        if isinstance(value, list): value = dict(enumerate(value)).get(int(step) if re.fullmatch("0|[1-9][0-9]{0,8}", step) else None)
        else: value = value.get(step) if isinstance(value, dict) else None
    return value
def referred(reference, root):
    file, _, pointer = reference.partition("#")
    schema, root = record_schema(file.rpartition("/")[2]) if file else (root, root)
    return follow(schema, pointer.split("/")[1:]), root

# 8 The schemas
ONE = "additionalProperties unevaluatedProperties propertyNames items unevaluatedItems contains contentSchema not if then else".split()
MANY = "allOf anyOf oneOf prefixItems".split()
MAPS = "properties patternProperties $defs definitions dependentSchemas".split()
SAME_VALUE = "allOf anyOf oneOf not if then else dependentSchemas dependencies".split()
SCHEMA_TYPES = "array boolean integer null number object string".split()

def are_different(value, good=lambda text: True): return are_texts(value, good) and len(set(value)) == len(value)
def is_size(value): return is_number(value) and value == math.floor(value) and value >= 0
def list_of(good): return lambda value: isinstance(value, list) and value != [] and all(map(good, value))
def object_of(good): return lambda value: isinstance(value, dict) and all(map(good, value.values()))

KEYWORDS = {name: good for names, good in (  # D-4
    ("$ref $comment title description format pattern contentEncoding contentMediaType", is_text),
    ("$id", lambda value: is_text(value) and "#" not in value[:-1]),
    ("type", lambda value: value in SCHEMA_TYPES if is_text(value) else value != [] and are_different(value, SCHEMA_TYPES.__contains__)),
    ("enum", list_of(lambda value: True)),
    ("examples", lambda value: isinstance(value, list)),
    ("multipleOf", lambda value: is_number(value) and value > 0),
    ("minimum maximum exclusiveMinimum exclusiveMaximum", is_number),
    ("minLength maxLength minItems maxItems minProperties maxProperties minContains maxContains", is_size),
    ("uniqueItems deprecated readOnly writeOnly", is_bool),
    ("required", are_different),
    ("dependentRequired", object_of(are_different)),
    ("dependencies", object_of(lambda value: is_schema(value) or are_different(value))),
    (" ".join(MANY), list_of(is_schema)),
    (" ".join(MAPS), object_of(is_schema)),
    (" ".join(ONE), is_schema),
) for name in names.split()}
DIALECT = re.compile("https?://json-schema[.]org/(?:draft/(2020-12|2019-09)|draft-(0[76]))/schema#?")  # D-7
NAMES = "$anchor $dynamicAnchor $dynamicRef $recursiveAnchor $recursiveRef $vocabulary".split()
BESIDE_REF = "$ref $id $schema $defs definitions $comment title description default examples deprecated readOnly writeOnly".split()
SCHEME = re.compile("([A-Za-z][A-Za-z0-9+.-]*):")

class Place:
    """A subschema: its value, its steps from the document, whether it checks the same value as the one around it (8.6), and those in it"""

    def __init__(self, value, steps=(), along=False):
        self.value, self.steps, self.along = value, steps, along
        self.inner = [Place(one, steps + more, more[0] in SAME_VALUE) for more, one in subschemas(value)]
    def get(self, name): return self.value.get(name) if isinstance(self.value, dict) else None
    def reference(self): return self.get("$ref") if is_text(self.get("$ref")) else None

class Document:  # A schema, its subschemas by their steps (D-3), its folder, and the schema_refs of its tool
    def __init__(self, value, folder="", aliases=None):
        self.value, self.folder, self.aliases = value, folder, {} if aliases is None else aliases
        self.places, self.root = {}, Place(value)
        stack = [self.root]
        while stack:
            place = stack.pop()
            self.places[place.steps] = place
            stack += place.inner
    def values(self): return [place.value for place in self.places.values()]

def subschemas(value):  # D-3: those that keywords of one subschema make, with the steps to them
    if not isinstance(value, dict): return []
    found = [((name,), value[name]) for name in ONE if name in value]
    found += [((name, str(index)), one) for name in MANY if isinstance(value.get(name), list) for index, one in enumerate(value[name])]
    found += [((name, key), one) for name in (*MAPS, "dependencies") if isinstance(value.get(name), dict) for key, one in value[name].items()]
    return [(steps, one) for steps, one in found if is_schema(one)]

def pointer_of(fragment):  # D-15: the steps of a JSON pointer
    missing = "schema/ref-missing"
    need(not re.search("%(?![0-9A-Fa-f]{2})", fragment), missing)
    text = attempt(missing, UnicodeDecodeError, urllib.parse.unquote, fragment, "utf-8", "strict") if fragment else ""
    need((text.startswith("/") or not fragment) and not re.search("~(?![01])", text), missing)
    return tuple(step.replace("~1", "/").replace("~0", "~") for step in text.split("/")[1:])

class Schemas:  # D-1: all schemas of a bundle
    def __init__(self, files, texts, tools, manifest):
        self.files, self.of_files, self.of_tools, self.all = files, {}, {}, []
        for tool in tools:
            aliases = {}
            aliases.update({name: one if is_text(one) else Document(one, "", aliases) for name, one in tool.get("schema_refs", {}).items()})
            self.of_tools[tool["id"]] = [Document(tool[name], "", aliases) for name in ("input_schema", "result_schema")]
            self.all += self.of_tools[tool["id"]]
            self.all += [one for one in aliases.values() if isinstance(one, Document)]
        for path in [path.decode() for path in texts if path.startswith(b"schemas/")]:
            need(is_schema(texts[path.encode()]), "schema/invalid")  # D-3
            self.of_files[path] = Document(texts[path.encode()], path.rpartition("/")[0])
        self.all += self.of_files.values()
        if "with" in manifest.get("schemas", {}):
            need(not any(isinstance(one, Moment) for one in walk(manifest["schemas"]["with"])), "schema/invalid")  # D-2
            self.all.append(Document(manifest["schemas"]["with"]))
    def check(self):
        for document in self.all: check_keywords(document)
        for document in self.all:
            for place in document.places.values(): self.resolve(document, place, document.aliases)
        need(sum(count_of(document.value) for document in self.all) <= 1_000_000, "schema/too-large")  # D-21
        for document in self.all: Reach(self, document).check()
    def resolve(self, document, place, aliases):
        """D-9 to D-15: the document and the place that a reference leads to, or None. *aliases* are those of the tool that asks."""
        text = place.reference()
        if text is None: return None
        target, _, fragment = text.partition("#")
        need(text, "schema/ref-invalid")  # D-10
        led = self.target(document, target, aliases) if target else document
        if not led: return None
        found = led.places.get(pointer_of(fragment))
        need(found, "schema/ref-missing")  # D-15
        return led, found
    def target(self, document, target, aliases):
        invalid = "schema/ref-invalid"
        scheme = SCHEME.match(target)
        if scheme and scheme[1] == "schema": return self.identified(document, target[7:], aliases)
        need(not target.startswith("//") and not (scheme and len(scheme[1]) > 1), "schema/ref-remote")  # D-9
        need(not scheme and not target.startswith("/"), invalid)  # D-10
        parts = document.folder.split("/") if document.folder else []
        for part in target.split("/"):  # D-13
            need(part != ".." or parts, invalid)
            parts = parts[:-1] if part == ".." else parts if part == "." else [*parts, part]
        path = "/".join(parts)
        need(is_path(path.encode()) and re.fullmatch("schemas/.*[.]json", path), invalid)
        need(path in self.of_files, "schema/ref-missing")  # D-14
        return self.of_files[path]
    def identified(self, document, name, aliases):  # D-11, D-12
        need(is_path(name.encode()), "schema/ref-invalid")
        found = aliases.get(name)
        if is_text(found) and document.aliases is aliases: name = ALIAS.fullmatch(found)[1]
        need(is_path(name.encode()), "schema/ref-invalid")
        return found if isinstance(found, Document) else self.of_files.get(f"schemas/{name}.json")

def check_keywords(document):  # D-4 to D-8
    root = document.value
    named = root["$schema"] if isinstance(root, dict) and "$schema" in root else "https://json-schema.org/draft/2020-12/schema"
    dialect = is_text(named) and DIALECT.fullmatch(named)
    need(dialect, "schema/dialect")  # D-7
    references = [place.reference() for place in document.places.values()]
    has_path = any(text and text[0] not in "#/" and not SCHEME.match(text) for text in references)
    values = [value for value in document.values() if isinstance(value, dict)]
    for value in values:  # D-8
        need(not any(name in value for name in NAMES), "schema/dialect")
        need(value is root or "$schema" not in value and "$id" not in value, "schema/dialect")
        need(dialect[1] == "2020-12" or not isinstance(value.get("items"), list), "schema/dialect")
        need(not (dialect[2] and "$ref" in value) or all(name in BESIDE_REF or name.startswith("x-") for name in value), "schema/dialect")
    need(not (has_path and "$id" in root), "schema/dialect")
    for value in values:
        for name in value: need(name not in KEYWORDS or KEYWORDS[name](value[name]), "schema/invalid")
        for pattern in [*(value[name] for name in ("pattern",) if name in value), *value.get("patternProperties", {})]:
            need(units(pattern) <= 5000 and is_pattern(pattern), "schema/pattern")  # D-5
            need(not re.search(r"\\(?:[1-9]|k<)", pattern.replace("\\\\", "")), "schema/pattern")  # D-6

ESCAPED_ATOM = r"\\(?:[dDsSwWbBfnrtv^$\\.*+?()\[\]{}|/]|0(?![0-9])|[1-9][0-9]*|k<\w+>|c[A-Za-z]|x[0-9A-Fa-f]{2}|u(?:[0-9A-Fa-f]{4}|\{0*(?:10|[0-9A-Fa-f])?[0-9A-Fa-f]{1,4}\})|[pP]\{[A-Za-z0-9_=]+\})"
CATEGORIES = set("""
C Cc Cf Cn Co Cs L LC Ll Lm Lo Lt Lu M Mc Me Mn N Nd Nl No P Pc Pd Pe Pf Pi Po Ps S Sc Sk Sm So Z Zl Zp Zs Other Control cntrl Format Unassigned
Private_Use Surrogate Letter Cased_Letter Lowercase_Letter Modifier_Letter Other_Letter Titlecase_Letter Uppercase_Letter Mark Combining_Mark
Spacing_Mark Enclosing_Mark Nonspacing_Mark Number Decimal_Number digit Letter_Number Other_Number Punctuation punct Connector_Punctuation
Dash_Punctuation Close_Punctuation Final_Punctuation Initial_Punctuation Other_Punctuation Open_Punctuation Symbol Currency_Symbol Modifier_Symbol
Math_Symbol Other_Symbol Separator Line_Separator Paragraph_Separator Space_Separator
""".split())
PROPERTIES = CATEGORIES | set("""
ASCII ASCII_Hex_Digit AHex Alphabetic Alpha Any Assigned Bidi_Control Bidi_C Bidi_Mirrored Bidi_M Case_Ignorable CI Cased Changes_When_Casefolded CWCF
Changes_When_Casemapped CWCM Changes_When_Lowercased CWL Changes_When_NFKC_Casefolded CWKCF Changes_When_Titlecased CWT Changes_When_Uppercased CWU Dash
Default_Ignorable_Code_Point DI Deprecated Dep Diacritic Dia Emoji Emoji_Component EComp Emoji_Modifier EMod Emoji_Modifier_Base EBase
Emoji_Presentation EPres Extended_Pictographic ExtPict Extender Ext Grapheme_Base Gr_Base Grapheme_Extend Gr_Ext Hex_Digit Hex IDS_Binary_Operator IDSB
IDS_Trinary_Operator IDST ID_Continue IDC ID_Start IDS Ideographic Ideo Join_Control Join_C Logical_Order_Exception LOE Lowercase Lower Math
Noncharacter_Code_Point NChar Pattern_Syntax Pat_Syn Pattern_White_Space Pat_WS Quotation_Mark QMark Radical Regional_Indicator RI Sentence_Terminal
STerm Soft_Dotted SD Terminal_Punctuation Term Unified_Ideograph UIdeo Uppercase Upper Variation_Selector VS White_Space space XID_Continue XIDC
XID_Start XIDS
""".split())
SCRIPTS = set("""
Adlam Adlm Aghb Ahom Anatolian_Hieroglyphs Arab Arabic Armenian Armi Armn Avestan Avst Bali Balinese Bamu Bamum Bass Bassa_Vah Batak Batk Beng Bengali
Bhaiksuki Bhks Bopo Bopomofo Brah Brahmi Brai Braille Bugi Buginese Buhd Buhid Cakm Canadian_Aboriginal Cans Cari Carian Caucasian_Albanian Chakma
Cham Cher Cherokee Chorasmian Chrs Common Copt Coptic Cpmn Cprt Cuneiform Cypriot Cypro_Minoan Cyrillic Cyrl Deseret Deva Devanagari Diak Dives_Akuru
Dogr Dogra Dsrt Dupl Duployan Egyp Egyptian_Hieroglyphs Elba Elbasan Elym Elymaic Ethi Ethiopic Geor Georgian Glag Glagolitic Gong Gonm Goth Gothic
Gran Grantha Greek Grek Gujarati Gujr Gunjala_Gondi Gurmukhi Guru Han Hang Hangul Hani Hanifi_Rohingya Hano Hanunoo Hatr Hatran Hebr Hebrew Hira
Hiragana Hluw Hmng Hmnp Hung Imperial_Aramaic Inherited Inscriptional_Pahlavi Inscriptional_Parthian Ital Java Javanese Kaithi Kali Kana Kannada
Katakana Kawi Kayah_Li Khar Kharoshthi Khitan_Small_Script Khmer Khmr Khoj Khojki Khudawadi Kits Knda Kthi Lana Lao Laoo Latin Latn Lepc Lepcha Limb
Limbu Lina Linb Linear_A Linear_B Lisu Lyci Lycian Lydi Lydian Mahajani Mahj Maka Makasar Malayalam Mand Mandaic Mani Manichaean Marc Marchen
Masaram_Gondi Medefaidrin Medf Meetei_Mayek Mend Mende_Kikakui Merc Mero Meroitic_Cursive Meroitic_Hieroglyphs Miao Mlym Modi Mong Mongolian Mro Mroo
Mtei Mult Multani Myanmar Mymr Nabataean Nag_Mundari Nagm Nand Nandinagari Narb Nbat New_Tai_Lue Newa Nko Nkoo Nshu Nushu Nyiakeng_Puachue_Hmong Ogam
Ogham Ol_Chiki Olck Old_Hungarian Old_Italic Old_North_Arabian Old_Permic Old_Persian Old_Sogdian Old_South_Arabian Old_Turkic Old_Uyghur Oriya Orkh
Orya Osage Osge Osma Osmanya Ougr Pahawh_Hmong Palm Palmyrene Pau_Cin_Hau Pauc Perm Phag Phags_Pa Phli Phlp Phnx Phoenician Plrd Prti Psalter_Pahlavi
Qaac Qaai Rejang Rjng Rohg Runic Runr Samaritan Samr Sarb Saur Saurashtra Sgnw Sharada Shavian Shaw Shrd Sidd Siddham SignWriting Sind Sinh Sinhala
Sogd Sogdian Sogo Sora Sora_Sompeng Soyo Soyombo Sund Sundanese Sylo Syloti_Nagri Syrc Syriac Tagalog Tagb Tagbanwa Tai_Le Tai_Tham Tai_Viet Takr
Takri Tale Talu Tamil Taml Tang Tangsa Tangut Tavt Telu Telugu Tfng Tglg Thaa Thaana Thai Tibetan Tibt Tifinagh Tirh Tirhuta Tnsa Toto Ugar Ugaritic
Unknown Vai Vaii Vith Vithkuqi Wancho Wara Warang_Citi Wcho Xpeo Xsux Yezi Yezidi Yi Yiii Zanabazar_Square Zanb Zinh Zyyy Zzzz
""".split())
PATTERN = re.compile(
    r"(?P<look>\(\?<?[=!])|(?P<open>\((?:\?:|\?<(?P<name>(?:[A-Za-z0-9_$]|\\u(?:00[0-7][0-9A-Fa-f]|\{0*[0-7]?[0-9A-Fa-f]\}))+)>|(?!\?)))|(?P<close>\))|(?P<many>(?:[*+?]|\{[0-9]+(?:,[0-9]*)?\})\??)|(?P<bar>\|)"
    r"|(?P<edge>[$^]|\\[bB])"
    rf"|(?P<set>\[\^?(?:[^\]\\]|{ESCAPED_ATOM}|\\-)*\])|(?P<atom>\\u[dD][89abAB][0-9A-Fa-f]{{2}}\\u[dD][c-fC-F][0-9A-Fa-f]{{2}}|[^\\()\[\]{{}}*+?|^$]|{ESCAPED_ATOM})"
)

def is_pattern(text):  # D-5, and D-6: each open group has its kind, its steps and how many alternatives it has
    groups, names, last, before, at = [["", 0, 1]], [], 0, "edge", 0
    while at < len(text):
        found = PATTERN.match(text, at)
        kind = found and found.lastgroup
        if kind == "name": kind = "open"
        if not found or kind == "many" and before not in ("atom", "set", "close") or kind == "close" and len(groups) < 2: return False
        ranges = re.findall(r"([^\\\]])-([^\\\]])", found[0][1:-1]) if kind == "set" else []
        named = re.findall(r"\\(?:[pP]\{([^}]*)\}|.)", found[0], re.S) if kind in ("set", "atom") else []
        if any(one > two for one, two in ranges) or not all(map(is_property, filter(None, named))) or len(groups) > 101: return False
        if kind in ("look", "open"): groups, names = [*groups, [kind, 0, 1]], names + [found["name"]] * (found["name"] is not None)
        elif kind == "bar": groups[-1][2] += 1
        elif kind == "many":
            least, most = {"*": (0, None), "+": (1, None), "?": (0, 1)}.get(found[0][0]) or ends_of(found[0])
            if most is not None and most < least: return False
            more = 1 if most is None else most - least
            groups[-1][1] += last * least + more * (1 + last) - last
        else:
            group = groups.pop() if kind == "close" else ["", 1, 1]
            last = group[1] + (group[2] > 1) + 2 * (group[0] == "look")
            groups[-1][1] += last
        before = "edge" if kind == "close" and group[0] == "look" else kind
        at = found.end()
    plain = [re.sub(r"\\u\{?([0-9A-Fa-f]+)\}?", lambda point: chr(int(point[1], 16)), name) for name in names]
    return all(re.fullmatch("[A-Za-z_$][A-Za-z0-9_$]*", name) for name in plain) and len(groups) == 1 and 1 + groups[0][1] + (groups[0][2] > 1) <= 20_000 and len(set(plain)) == len(plain)

def is_property(text):
    name, sign, value = text.partition("=")
    if not sign: return name in PROPERTIES
    return value in {"gc": CATEGORIES, "General_Category": CATEGORIES}.get(name, SCRIPTS if name in ("sc", "scx", "Script", "Script_Extensions") else ())

def ends_of(text):  # {2}, {2,} and {2,3}
    digits = re.findall("[0-9]+", text)
    return int(digits[0]), int(digits[-1]) if len(digits) > 1 or "," not in text else None

class Reach:  # 8.6: a schema and all schemas that its references lead to, as its tool means them
    def __init__(self, schemas, document):
        self.documents, self.led = [document], {}  # by place: what its reference leads to
        self.costs, self.open = {}, set()
        for one in self.documents:
            for place in one.places.values():
                led, self.led[place] = self.resolve(schemas, one, place) or (None, None)
                if led and led not in self.documents: self.documents.append(led)
    def resolve(self, schemas, document, place):
        try:
            return schemas.resolve(document, place, self.documents[0].aliases)
        except Refused:  # so this tool means it; as the document itself means it, it was right
            return schemas.resolve(document, place, document.aliases)
    def check(self):
        need(sum(weight(value) for one in self.documents for value in one.values()) <= 600, "schema/too-large")  # D-20
        need(sum(count_of(one.value) - 1 for one in self.documents) <= 100_000, "schema/too-large")
        for place in self.led: need(self.cost(place) <= 10_000, "schema/endless")
        targets = {target for target in self.led.values() if target}
        need(sum(1 + depth for depth in map(self.deepest, targets) if depth is not None) <= 200, "schema/too-large")  # D-22
    def cost(self, place):  # D-17, D-18
        need(place not in self.open, "schema/endless")
        self.open.add(place)
        if place not in self.costs:
            total = 1
            for one in [*(one for one in place.inner if one.along), self.led[place]]: total += self.cost(one) if one else 0
            self.costs[place] = total
        self.open.discard(place)
        return self.costs[place]
    def deepest(self, place):  # The steps down to the deepest reference, or None
        depths = [depth + 1 for depth in map(self.deepest, place.inner) if depth is not None]
        return max(depths + [0] * bool(place.reference()), default=None)

def weight(value):  # 8.6
    lists = [value[name] for name in ("dependentRequired", "dependencies") if isinstance(value, dict) and name in value]
    return 1 + sum(1 + len(one) for each in lists for one in each.values() if isinstance(one, list))

def check_contents(files, manifest, tokens, entry, locked=False):  # Question 7 of 10.1: the grants, and with *locked* what a lock says of them. What is invalid comes before what is only unknown (J-5).
    texts = read_texts(files, tokens)
    unknown = []

    def ask(check, *arguments):
        try:
            return check(*arguments)
        except Refused as refused:
            if refused.verdict == "invalid": raise
            unknown.append(refused)

    ask(check_entry, files, entry, manifest["agent"]["kind"] == "native-shim")
    grants = read_policy(texts[POLICY])
    tools = ask(check_tools, texts[TOOLS], manifest)
    if b"interfaces.json" in texts and tools is not None: check_interfaces(texts[b"interfaces.json"], tools)
    schemas = Schemas(files, texts, tools or [], manifest)
    schemas.check()
    if unknown: raise unknown[0]
    return grants, (caps_in(texts[POLICY]["capabilities"]), tools_in(schemas, texts)) if locked else None

# 9 The trust policy
UNUSABLE = ("trust_policy_unusable", "indeterminate")
def usable(condition): need(condition, *UNUSABLE)  # K-1
def only(table, *names): usable(isinstance(table, dict) and set(table) <= set(names))
def is_one_of(names): return lambda name: name in names
def part_of(table, name, kind, default):  # K-5: a member of its type, or what it is if it is missing
    usable(isinstance(table.get(name, default), kind))
    return table.get(name, default)

def read_trust_policy(path, clock):
    try:
        policy = TrustPolicy(Toml(pathlib.Path(path).read_bytes(), most=400_000).root, clock)  # K-3
        if policy.root: check_root(policy.root, (pathlib.Path(path).parent / policy.root["file"]).read_bytes())
        return policy
    except (OSError, Refused) as error:
        raise Refused(*UNUSABLE) from error  # K-1, K-2

def check_root(root, data):  # Y-7
    usable(len(data) <= 16_777_216 and digest_of(data) == root["blake3"])
    value = read_json(data)
    usable(isinstance(value, dict) and isinstance(value.get("certificateAuthorities"), list) and value["certificateAuthorities"])

def read_sigstore(value):  # K-54: the file and its digest
    only(value, "trusted_root")
    root = value.get("trusted_root")
    only(root, "file", "blake3")
    usable(re.fullmatch("[a-z0-9][a-z0-9._-]{0,63}", part_of(root, "file", str, "")))
    usable(re.fullmatch("[0-9a-f]{64}", part_of(root, "blake3", str, "")))
    return root

class Anchor:  # 9.3
    def __init__(self, value):
        value = {"key": value} if is_text(value) else value
        only(value, "key", "keys", "allow_dev", "use", "until", "issuer", *IDENTITY)  # K-9
        usable(sum(name in value for name in ("key", "keys", "issuer")) == 1)  # K-10
        self.identity = check_identity(value) if "issuer" in value else None
        usable(self.identity or not set(value) & set(IDENTITY))  # K-15
        self.keys = [] if self.identity else value["keys"] if "keys" in value else [value["key"]]
        usable((self.keys or self.identity) and are_texts(self.keys, key_of))
        self.until = part_of(value, "until", str, None) if "until" in value else None
        usable(self.until is None or is_second(self.until))  # K-14
        self.dev = part_of(value, "allow_dev", bool, False)  # K-12
        use = part_of(value, "use", list, ["sign"])
        usable(use and are_different(use, is_one_of(("sign", "attest"))))  # K-13
        self.signs, self.attests = "sign" in use, "attest" in use

IDENTITY = ("repository_id", "owner_id", "workflow", "ref", "environment", "runner", "trigger", "builder", "builder_digest", "email", "subject")
OF_PIPELINES = ("https://token.actions.githubusercontent.com", "https://gitlab.com")

def check_identity(value):  # K-15
    given = {name: part_of(value, name, str, None) for name in ("issuer", *IDENTITY) if name in value}
    kinds = [name for name in ("repository_id", "email", "subject") if name in given]
    usable(len(kinds) == 1 and all(is_exact(text.removesuffix("*") if name == "ref" else text) for name, text in given.items()))
    usable(re.fullmatch(f"https://[^/{WHITE}][^{WHITE}]*", given["issuer"]) and not given.get("workflow", "").startswith("/"))
    if kinds == ["repository_id"]:
        usable("workflow" in given and {"ref", "environment"} & set(given) and ("builder" in given) == ("builder_digest" in given))
    else:
        usable(set(given) == {"issuer", *kinds})
        usable(re.fullmatch(r"[^\s@]+@[^\s@]+", given.get("email", "a@b")) and re.fullmatch(r"[A-Za-z][A-Za-z0-9+.-]*:\S+", given.get("subject", "a:b")))
        usable("subject" not in given or given["issuer"] not in OF_PIPELINES)
    return given

def string_of(identity):  # K-18
    members = [f"{name}={encoded(identity[name])}" for name in IDENTITY if name in identity]
    return f"oidc:{identity['issuer']}?{'&'.join(members)}"

def encoded(text): return urllib.parse.quote(text, safe="-_.!~*'()")  # K-18

def is_string_of_identity(text):  # K-18: whether it is written as one
    found = re.fullmatch(rf"oidc:https://[^/{WHITE}][^{WHITE}]*\?([^?]*)", text)
    if not found: return False
    pairs = [part.partition("=")[::2] for part in found[1].split("&")]
    names = [name for name, _ in pairs]
    if not all(name in IDENTITY for name in names) or names != [name for name in IDENTITY if name in names] or len(set(names)) < len(names): return False
    return all(value and is_encoded(value) for _, value in pairs)

def is_signer(text): return is_string_of_identity(text) if text.startswith("oidc:") else key_of(text)  # K-51, L-5

def is_encoded(value):
    try:
        return encoded(urllib.parse.unquote_to_bytes(value).decode("utf-8")) == value
    except UnicodeError:
        return False

USUAL = ("push", "release", "schedule", "workflow_dispatch")

def first_misfit(identity, facts):  # Y-6: the first member that does not fit, or None
    def same(member, said): return member not in identity or facts.get(said) == identity[member]
    right = {}
    config, ref = facts.get("config"), facts.get("ref")
    if "workflow" in identity:
        between = {"https://token.actions.githubusercontent.com": ["/"], "https://gitlab.com": ["//"]}.get(identity["issuer"], ["/", "//"])
        places = [f"{facts.get('source')}{one}{identity['workflow']}@{ref}" for one in between]
        right["workflow"] = "source" in facts and "ref" in facts and config in places
    if "ref" in identity: right["ref"] = is_ref(identity["ref"], ref)
    for name in ("issuer", "repository_id", "owner_id", "environment", "runner", "email"): right[name] = same(name, name)
    signer = facts.get("signer")
    if "repository_id" in identity:
        right["trigger"] = facts.get("trigger") in ((identity["trigger"],) if "trigger" in identity else USUAL)
        if "builder" in identity: right["builder"] = signer is not None and "@" in signer and signer.partition("@")[0] == identity["builder"]
        else: right["builder"] = signer is not None and signer == config
    right["builder_digest"] = same("builder_digest", "signer_digest")
    right["subject"] = "subject" not in identity or same("subject", "uri") and "repository_id" not in facts
    order = ("issuer", "repository_id", "owner_id", "workflow", "ref", "environment", "runner", "trigger", "builder", "builder_digest", "email", "subject")
    return next((name for name in order if not right.get(name, True)), None)

def is_ref(wanted, ref): return ref is not None and (ref.startswith(wanted[:-1]) if wanted.endswith("*") else ref == wanted)

def could_be_one(one, two):  # K-16
    if any(one.get(name) != two.get(name) for name in ("issuer", "repository_id", "workflow", "email", "subject")): return False
    for name in IDENTITY:
        a, b = one.get(name), two.get(name)
        if name == "trigger" and a != b and (a and b or (a or b) not in USUAL): return False
        if name == "ref" and a and b and a != b and not is_under(a, b) and not is_under(b, a): return False
        if name not in ("ref", "trigger") and a and b and a != b: return False
    return True

def is_under(pattern, ref): return pattern.endswith("*") and ref.removesuffix("*").startswith(pattern[:-1])

class TrustPolicy:
    def __init__(self, root, clock):
        only(root, "anchors", "groups", "rules", "require", "floors", "revoked", "sigstore", "valid_until")  # K-4
        until = part_of(root, "valid_until", str, "9999-12-31T23:59:59Z")
        usable(is_second(until) and not is_after(clock, until))  # K-6
        anchors = part_of(root, "anchors", dict, {})
        usable(all(re.fullmatch("[A-Za-z0-9_-]{1,64}", name) for name in anchors))  # K-8
        self.anchors = {name: Anchor(value) for name, value in anchors.items()}
        usable(are_different([key for anchor in self.anchors.values() for key in anchor.keys]))  # K-11
        identities = [anchor.identity for anchor in self.anchors.values() if anchor.identity]
        usable(not any(could_be_one(one, two) for one, two in itertools.combinations(identities, 2)))  # K-16
        sigstore = read_sigstore(root["sigstore"]) if "sigstore" in root else None
        usable(sigstore or not identities)  # K-17
        self.root = sigstore if identities else None
        self.signing = [name for name, anchor in self.anchors.items() if anchor.signs]
        attesting = [name for name, anchor in self.anchors.items() if anchor.attests]
        self.groups = {name: self.read_group(name, value) for name, value in part_of(root, "groups", dict, {}).items()}
        self.may_sign = self.signing + [name for name, (of, _) in self.groups.items() if set(of) <= set(self.signing)]
        self.may_attest = attesting + [name for name, (of, _) in self.groups.items() if set(of) <= set(attesting)]
        rules = part_of(root, "rules", dict, {})
        usable(set(rules) <= set(self.may_sign))  # K-22
        self.rules = {name: read_rules(value) for name, value in rules.items()}
        self.entries = []
        if "require" in root: self.read_require(root["require"])
        self.floors = part_of(root, "floors", dict, {})
        usable(all(is_pattern_of_agents(name) and is_text(value) and is_version(value) for name, value in self.floors.items()))  # K-49, K-50
        self.revoked = part_of(root, "revoked", dict, {})
        for name, value in self.revoked.items(): check_revoked(name, value)
    def read_group(self, name, value):  # K-19 to K-21
        usable(re.fullmatch("[A-Za-z0-9_-]{1,64}", name) and name not in self.anchors)
        only(value, "of", "at_least")
        of, least = value.get("of"), value.get("at_least")
        usable(are_different(of, is_one_of(self.anchors)) and is_whole(least) and 1 <= least <= self.count(of))
        members = [self.anchors[one] for one in of]
        usable(all(one.signs for one in members) or all(one.attests for one in members))  # K-20
        return of, least
    def count(self, names):  # J-12
        return len({self.signer(name) for name in names})
    def signer(self, name):  # J-12
        identity = self.anchors[name].identity
        return tuple(identity.get(one) for one in ("issuer", "repository_id", "email", "subject")) if identity else name
    def read_require(self, require):  # 9.5
        usable(require != [])  # K-38
        for one in require if isinstance(require, list) else [require]:
            names = ("agents", "signers", "signatures", "expires_within", "attestations") if isinstance(require, list) else ("anchors", "signatures", "attestations")
            only(one, *names)  # K-38
            usable("agents" not in one or one["agents"] and are_texts(one["agents"], is_pattern_of_agents))  # K-46
            usable(are_different(one.get("anchors", []), is_one_of(self.signing)))  # K-39
            usable("signers" not in one or one["signers"] and are_different(one["signers"], is_one_of(self.may_sign)))  # K-47
            usable(is_whole(one.get("signatures", 1)) and 1 <= one.get("signatures", 1) <= self.count(self.signing))  # K-40, K-41, K-40
            usable(re.fullmatch("[1-9][0-9]{0,4}d", part_of(one, "expires_within", str, "1d")))  # K-48
            for statement in part_of(one, "attestations", list, []): self.check_required(statement)
            self.entries.append(one)
    def check_required(self, one):  # K-42 to K-45
        only(one, "type", "by", "builder", "source", "ref")
        usable(one.get("type") != "urn:runloop:agent-bundle:v1")
        usable("type" in one and all(is_exact(part_of(one, name, str, "-")) for name in ("type", "builder", "source")))
        usable(one.get("by") and are_different(one["by"], is_one_of(self.may_attest)))
        usable(one["type"] == "https://slsa.dev/provenance/v1" or not {"builder", "source", "ref"} & set(one))
        usable(is_exact(part_of(one, "ref", str, "-").removesuffix("*")))
        members = [member for name in one["by"] for member in (self.groups[name][0] if name in self.groups else [name])]
        usable("ref" not in one or all(self.anchors[name].identity for name in members))
    def covering(self, agent):  # J-14
        return [one for one in self.entries if any(covers(pattern, agent) for pattern in one.get("agents", [agent]))]
    def is_met(self, group, names):  # J-13
        of, least = self.groups[group]
        return self.count(set(of) & set(names)) >= least

def is_pattern_of_agents(text):  # K-33
    return is_agent(text) or re.fullmatch(r"[a-z][a-z0-9_]{2,199}\*(@\*)?", text)

def prefix_of(pattern): return pattern.removesuffix("@*").removesuffix("*") if pattern.endswith("*") else None

def covers(pattern, agent):  # J-14
    prefix = prefix_of(pattern)
    return agent == pattern or agent.startswith(pattern + "@") if prefix is None else agent.startswith(prefix)

def closeness(pattern, agent):  # J-23
    prefix = prefix_of(pattern)
    if prefix is None: return math.inf if pattern == agent else -1
    return len(prefix) if agent.startswith(prefix) and (pattern.endswith("@*") or "@" not in agent) else -1

def is_exact(text): return text and "*" not in text  # K-43, K-45

def read_rules(value):  # K-23, K-32
    rules = value if isinstance(value, list) else [value]
    usable(rules)
    for rule in rules: check_rule(rule)
    named = [agent for rule in rules for agent in {prefix_of(one) and prefix_of(one) + "*" or one for one in rule.get("agents", [])}]
    usable(not isinstance(value, list) or all("agents" in rule for rule in rules) and are_different(named))
    return rules

def check_rule(rule):  # K-23 to K-28, K-30, K-31, K-37, K-29
    only(rule, "allow_caps", "allow_net", "allow_http", "allow_exec", "secrets_to", "agents")
    usable(rule.get("allow_caps") == "any" or are_texts(rule.get("allow_caps", []), allowed_capability))
    usable(rule.get("allow_net") == "any" or are_texts(rule.get("allow_net", []), host_of))
    usable(rule.get("allow_http") == "any" or are_texts(rule.get("allow_http", []), is_host_with_port))  # K-29
    usable(is_bool(rule.get("allow_exec", False)) or are_texts(rule["allow_exec"], is_program))  # K-30
    usable(are_texts(rule.get("agents", []), is_pattern_of_agents))  # K-31
    caps = rule.get("allow_caps", [])
    for secret, places in part_of(rule, "secrets_to", dict, {}).items():
        usable(are_texts(places, is_place) and is_template(secret))  # K-34, K-35, K-37
        usable(caps == "any" or "secrets" in caps or "secrets:" + secret in caps)  # K-36

def is_place(text): return text in ("model", "kb_write", "fs") or is_program(text) or is_host_with_port(text)  # K-35

def is_host_with_port(text): return (host_of(text) or (None, None))[1] is not None

def is_agent(text):  # K-31
    name, sign, variant = text.partition("@")
    return NAME.fullmatch(name) and (not sign or VARIANT.fullmatch(variant)) and is_short_name(name) and is_short_name(variant)

def is_template(text): return not any(BRACE.search(segment) for segment in text.split("/") if segment != "{agent}")  # K-37

def filled(text, agent):  # J-24
    return "/".join(agent.partition("@")[0] if segment == "{agent}" else segment for segment in text.split("/"))

def allowed_capability(text):  # K-25 to K-27, K-37: the family and the scope or None; or None
    family, sign, scope = re.fullmatch("(kb_read|kb_write|[^:]*)(?:([:.])(.*))?", text, re.S).groups()
    if family not in FAMILIES or family in ("net", "exec") or sign == "." and family not in BASES: return None
    if not sign: return family, None
    if family in ("time", "model") or is_blank(scope) or "*" in scope or family in FOLDERS and not is_folder(scope): return None
    return (family, scope) if is_template(scope) else None

def is_folder(text):  # K-27
    right = text.startswith(("/", "~/")) and not {".", ".."} & set(text.split("/")) and units(text) <= 4096
    return right and not CONTROL.search(text) and not re.search("[\\\\\u2028\u2029]", text)

def check_revoked(name, value):  # 9.6
    identity = re.fullmatch("blake3:[0-9a-f]{64}", name)
    usable(identity or is_signer(name))  # K-51
    only(value, "since", "reason", *([] if identity else ["replaced_by"]))  # K-52
    usable(is_second(part_of(value, "since", str, "2026-01-01") + "T00:00:00Z"))  # K-53
    part_of(value, "reason", str, "")  # K-53
    usable("replaced_by" not in value or is_text(value["replaced_by"]) and key_of(value["replaced_by"]))

# 10 Judging
SEVERITY = ("invalid", "indeterminate", "revoked", "unsigned", "untrusted", "expired", "rolled_back", "policy_denied")

def is_after(clock, second):  # Whether the clock, perhaps with a fraction, is after a UTC second
    return clock[:19] > second[:19] or clock[:19] == second[:19] and re.search("[1-9]", clock[19:]) is not None

def check_trust(policy, signers, dev, identity, agent, until, clock):  # J-10, J-11, J-15, J-17, J-18, J-19: the anchors that count
    need(identity not in policy.revoked, "bundle_revoked", "revoked")
    if signers is None: return []
    code = unmet(policy, names := counting(policy, signers, dev, clock), agent, until, clock)
    need(not code or unmet(policy, counting(policy, signers, dev, clock, ()), agent, until, clock), "key_revoked", "revoked")
    need(not code or unmet(policy, counting(policy, signers, dev, None), agent, until, clock), "anchor_ended", "untrusted")
    need(not code, code, "untrusted")
    return names

def counting(policy, signers, dev, clock, revoked=None):  # J-11: the anchors that count, in the order of the signatures; without *clock* none has ended
    revoked = policy.revoked if revoked is None else revoked
    anchors = [(name, policy.anchors[name]) for name in policy.signing]
    def does(anchor): return (dev or not anchor.dev) and not (clock and anchor.until and is_after(clock, anchor.until))
    return list(dict.fromkeys(name for key in signers for name, anchor in anchors if key in anchor.keys and key not in revoked and does(anchor)))

def unmet(policy, names, agent, until, clock):  # J-15, J-17: the code of what is missing, or None
    entries = policy.covering(agent)
    if not entries and not names: return "no_counted_signature"
    for one in entries:
        for name in (*one.get("anchors", []), *one.get("signers", [])):
            if not (policy.is_met(name, names) if name in policy.groups else name in names): return "required_signature_missing"
        least = one.get("signatures", 1)
        if policy.count(names) < least: return "too_few_signatures" if least > 1 else "no_counted_signature"
        if "expires_within" in one and (until is None or seconds(until) - seconds(clock) > 86_400 * int(one["expires_within"][:-1])): return "expires_too_late"  # J-16
        if one.get("attestations"): return "attestation_missing"
    return None

def seconds(text): return int(datetime.datetime.fromisoformat(text[:19] + "+00:00").timestamp())  # Fractions of the clock do not matter: the other is whole

def check_grants(policy, names, called, grants):  # J-20 to J-23, J-34, J-32
    groups = [name for name in policy.groups if name in policy.rules and policy.is_met(name, names)]
    codes = {name: denial(policy.rules.get(name), called, grants) for name in (*names, *groups)}
    required = {name for one in policy.covering(called) for name in (*one.get("anchors", []), *one.get("signers", []))}
    for name in codes:
        if name in required and name in policy.rules: need(not codes[name], codes[name], "policy_denied")  # J-21
    order = ("rule_for_other_agents", "beyond_ceiling", "no_rule")
    need(None in codes.values(), min(codes.values(), key=order.index) if None not in codes.values() else "", "policy_denied")  # J-20

def denial(rules, agent, grants):  # J-22, J-23: the code of an anchor or group, or None if its rule allows the grants
    if rules is None: return "no_rule"
    close = [max([closeness(one, agent) for one in rule["agents"]], default=-1) if "agents" in rule else 0 for rule in rules]
    if max(close) < 0: return "rule_for_other_agents"
    rule = rules[close.index(max(close))]
    secrets = {place for family, scope in grants if family == "secrets" for place in looked_up(scope)}
    lists = [places for secret, places in rule.get("secrets_to", {}).items() if looked_up(filled(secret, agent)) & secrets]
    fit = all(may_reach(grant, places) for grant in grants for places in lists)
    return None if fit and all(inside(grant, rule, agent) for grant in grants) else "beyond_ceiling"

def looked_up(secret):  # J-33
    second = re.sub("[a-z]+", lambda letters: letters[0].upper(), secret[4:])
    return {variable_of(secret), *([second] if secret.startswith("env/") else [])}

def may_reach(grant, places):  # J-32
    family, scope = grant
    if family == "net": return scope[1] is not None and any(host_of(one) == scope for one in places)
    if family in ("exec", "http"): return family == "exec" and scope in places
    return {"model": "model", "kb_write": "kb_write", "fs": "fs", "fs_rw": "fs"}.get(family) in (None, *places)

def inside(grant, rule, agent):  # J-25 to J-31, J-24
    family, scope = grant
    caps, hosts = rule.get("allow_caps", []), rule.get("allow_net", [])
    if family == "net": return hosts == "any" or any(host_of(text) in (scope, (scope[0], None)) for text in hosts)
    if family == "http":  # J-26
        clear = rule.get("allow_http", "any" if hosts == "any" else [])
        return clear == "any" or set(scope) <= {host_of(text) for text in clear}
    if family == "exec": return rule.get("allow_exec", False) is True or scope is not None and scope in (rule.get("allow_exec") or [])
    if family is None or caps == "any": return family is not None
    allowed = [one[1] for one in map(allowed_capability, caps) if one[0] == family]
    return None in allowed or scope is not None and any(fits_scope(family, scope, filled(one, agent)) for one in allowed)

def fits_scope(family, scope, allowed):  # J-29, J-30
    if family not in FOLDERS: return scope == allowed
    within = (scope.removesuffix("/") + "/").startswith(allowed.removesuffix("/") + "/")
    return within and is_folder(scope) and units(allowed) <= 4096

def marks_of(state, agent):  # H-1, H-6
    need(state != "unreadable", "state_unusable", "indeterminate")
    return [(precedence(mark["version"]), mark["identity"]) for mark in (state or {}).get(agent, [])]

def check_fresh(marks, version, identity, floors):  # H-2 to H-4, J-36
    own = precedence(version)
    need(all(own >= precedence(floor) for floor in floors), "below_floor", "rolled_back")
    need(all(own >= mark for mark, _ in marks), "older", "rolled_back")
    equal = [known for mark, known in marks if mark == own]
    need(not equal or None in equal or identity in equal, "other_content", "rolled_back")

# 11 The expectation
FIRST, LAST = (0, 0, 0, False, []), (math.inf, 0, 0, False, [])
PART = f"({NUMBER}|[xX*])"
COMPARATOR = re.compile(rf"(\^|~|>=|>|<=|<|=|)(?:{NUMBER}\.{NUMBER}\.{NUMBER}-({BEFORE}(?:\.{BEFORE})*)|{PART}(?:\.{PART}(?:\.{PART})?)?)")

def precedence(version):  # SemVer 2.0.0, section 11: something to compare by
    major, minor, patch, before, _ = VERSION.fullmatch(version).groups()
    parts = [(0, int(one), "") if one.isdigit() else (1, 0, one) for one in (before or "").split(".") if one]
    return int(major), int(minor), int(patch), not before, parts

def check_expectation(expect, agent, identity, file):  # X-1, X-2
    expect = implied(file) if expect is None else expect
    need(expect == "any" or meets(expect, agent, identity), "unexpected_agent", "untrusted")

def implied(file):  # X-10
    found = re.fullmatch(r"(.+)\.agent\.bundle(?:\.gz)?", file.rpartition("/")[2])
    left = found[1].partition(".")[0].rpartition("-")[0] if found else ""
    name, sign, variant = left.partition("@")
    if not NAME.fullmatch(name) or sign and not VARIANT.fullmatch(variant) or not VERSION.fullmatch(found[1][len(left) + 1 :]): return "any"
    return f"{left}@{found[1][len(left) + 1 :]}"

def meets(expect, agent, identity):
    if re.fullmatch("blake3:[0-9A-Fa-f]{64}", expect): return expect.lower() == identity  # X-7
    name, variant, versions = parts_of(expect)
    if len(versions) > 1 or name != agent["name"] or variant != agent.get("variant"): return False  # X-4
    if not versions: return True
    exact = exact_in(versions[0])
    return agent["version"] == exact if VERSION.fullmatch(exact) else in_range(versions[0], precedence(agent["version"]))

def parts_of(expect):  # X-3: name, variant or None, versions
    name, *rest = expect.split("@")
    variant = rest.pop(0) if rest and (VARIANT.fullmatch(rest[0]) or len(rest) > 1) else None
    return name, variant, rest

def exact_in(versions): return re.sub(f"^[=v{WHITE}]+|[{WHITE}]+$", "", versions)  # X-5

def in_range(text, version):  # 11.2
    return any(all(low <= version < high for low, high in map(bounds, one)) for one in range_in(text) or [])

def range_in(text):  # The sets of comparators; None for what is no range
    sets = [[COMPARATOR.fullmatch(one) for one in part.split(" ") if one] for part in text.split("||")]
    if len(text) > 100 or not all(one and all(one) for one in sets): return None
    return None if any(int(digits) > MOST_WHOLE for one in sets for found in one for digits in numbers_of(found)) else sets

def numbers_of(found):  # The numbers of a comparator that are not left out
    return list(itertools.takewhile(str.isdigit, re.split("[.-]", found[0][len(found[1]) :], maxsplit=3)[:3]))

def lowest(numbers): return (*numbers, *[0] * (3 - len(numbers)), False, [])  # Below each pre-release of these numbers, filled up with zeros
def bounds(found):  # X-9: from the first, included, to the second, excluded
    sign, numbers = found[1], list(map(int, numbers_of(found)))
    low = precedence(found[0][len(sign) :]) if len(numbers) == 3 else lowest(numbers)

    def after(count):  # What comes after all versions with the same first numbers
        return lowest([*numbers[: count - 1], numbers[count - 1] + 1]) if numbers else LAST

    high = (*low[:4], [*low[4], (0, 0, "")]) if len(numbers) == 3 else after(len(numbers))
    if not numbers and sign in ("<", ">"): return LAST, LAST
    nonzero = next((place for place, number in enumerate(numbers, 1) if number), len(numbers))
    ends = {">=": (low, LAST), "<": (FIRST, low), ">": (high, LAST), "<=": (FIRST, high), "^": (low, after(nonzero)), "~": (low, after(min(len(numbers), 2)))}
    return ends.get(sign, (low, high))

# 15 The lock
LOCKED, LOCK_UNUSABLE = ("not_as_locked", "untrusted"), ("lock_unusable", "indeterminate")
ESCAPED_IN_LOCK = (  # L-13
    "\0-\x1f\x7f-\x9f\u00ad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b-\u200f\u2028-\u202e\u2060-\u2064\u2066-\u206f\ufdd0-\ufdef\ufeff\ufff9-\ufffb"
    "\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0001\U000e0020-\U000e007f"
) + "".join(chr(0x10000 * plane + last) for plane in range(17) for last in (0xFFFE, 0xFFFF))
SHORT_IN_LOCK = {"\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", '"': '\\"', "\\": "\\\\"}

def utf_16(text): return text.encode("utf-16-be", "surrogatepass")
def is_sorted(texts): return all(utf_16(one) < utf_16(two) for one, two in zip(texts, texts[1:]))  # L-10
def in_quotes(text):
    escaped = lambda found: SHORT_IN_LOCK.get(found[0]) or (f"\\u{ord(found[0]):04X}" if found[0] <= "\uffff" else f"\\U{ord(found[0]):08X}")
    return '"' + re.sub(f'["\\\\{ESCAPED_IN_LOCK}]', escaped, text) + '"'

def is_hex(text, kind): return is_text(text) and re.fullmatch(kind + ":[0-9a-f]{64}", text)
def is_version(text):  # M-12 to M-13
    found = is_text(text) and len(text) <= 256 and VERSION.fullmatch(text)
    return found and all(int(number) <= MOST_WHOLE for number in found.groups()[:3])

def is_ranged(expect, called):  # L-7
    name, variant, versions = parts_of(expect)
    if len(versions) != 1 or called != (name if variant is None else f"{name}@{variant}"): return False
    return bool(is_version(exact_in(versions[0])) or range_in(versions[0]))

def read_lock(path):  # L-1 to L-6, L-9 to L-13, L-8: the agents
    try:
        data = pathlib.Path(path).read_bytes()
        root = Toml(data).root
        need(data == written_lock(root).encode(), *LOCK_UNUSABLE)
        return root.get("agents", {})
    except (OSError, Refused) as error:
        raise Refused(*LOCK_UNUSABLE) from error

def written_lock(root):  # L-2 to L-6, L-9 to L-13: the one byte form
    right = lambda condition: need(condition, *LOCK_UNUSABLE)
    agents = root.get("agents", {})
    right(set(root) <= {"version", "name", "agents"} and is_whole(root.get("version")) and root["version"] == 1 and isinstance(agents, dict) and is_sorted([*agents]))
    right("name" not in root or is_text(root["name"]) and "@" not in root["name"] and is_agent(root["name"]))
    lines = ["version = 1"] + ([f"name = {in_quotes(root['name'])}"] if "name" in root else [])
    for name, locked in agents.items():
        right(is_agent(name) and isinstance(locked, dict) and {"source", "agent", "identity", "signers", "caps", "tools"} == set(locked) - {"expect", "oci"})
        right(is_text(locked["source"]) and locked["source"] and ("oci" not in locked or is_hex(locked["oci"], "sha256")))
        right("expect" not in locked or is_text(locked["expect"]) and is_ranged(locked["expect"], name))
        right(is_version(locked["agent"]) and is_hex(locked["identity"], "blake3"))
        right(locked["signers"] and are_texts(locked["signers"], is_signer) and are_texts(locked["caps"], bool) and isinstance(locked["tools"], dict))
        right(all(is_hex(digest, "blake3") for digest in locked["tools"].values()))
        for texts in (locked["signers"], locked["caps"], [*locked["tools"]]): right(is_sorted(texts))
        lines += ["", f"[agents.{name if re.fullmatch('[A-Za-z0-9_-]+', name) else in_quotes(name)}]"]
        for member in ("source", "expect", "oci", "agent", "identity"): lines += [f"{member} = {in_quotes(locked[member])}"] if member in locked else []
        lines += [f"{member} = [{', '.join(map(in_quotes, locked[member]))}]" for member in ("signers", "caps")]
        pairs = ", ".join(f"{in_quotes(name)} = {in_quotes(digest)}" for name, digest in locked["tools"].items())
        lines += [f"tools = {{ {pairs} }}" if pairs else "tools = {}"]
    return "\n".join(lines) + "\n"

def canonical(value):  # RFC 8785
    if isinstance(value, dict): return "{" + ",".join(f"{canonical(name)}:{canonical(value[name])}" for name in sorted(value, key=utf_16)) + "}"
    if isinstance(value, list): return "[" + ",".join(map(canonical, value)) + "]"
    return shortest(value) if is_number(value) else json.dumps(value, ensure_ascii=False)

def shortest(number):  # As ECMAScript writes a number
    if number == math.floor(number) and abs(number) < 1e21: return str(int(number))
    digits, _, exponent = repr(number).replace("-", "", number < 0).partition("e")
    whole, _, part = digits.partition(".")
    place = len(whole) + int(exponent or 0) if whole != "0" else int(exponent or 0) - (len(part) - len(part.lstrip("0")))
    digits = (whole + part).strip("0") if part != "0" else whole.rstrip("0")
    sign = "-" if number < 0 else ""
    if -6 < place <= 0: return f"{sign}0.{'0' * -place}{digits}"
    if 0 < place <= 21: return f"{sign}{digits[:place]}.{digits[place:]}"
    return f"{sign}{digits[0]}{'.' * (len(digits) > 1)}{digits[1:]}e{place - 1:+d}"

def check_lock(agents, agent, called, version, identity, counted, facts):  # L-14 to L-20
    need(called in agents, *LOCKED)
    locked = agents[called]
    need(locked["agent"] == version and locked["identity"] == identity and set(locked["signers"]) <= counted, *LOCKED)
    need(facts is None or (set(locked["caps"]), dict(locked["tools"])) == facts, *LOCKED)

def caps_in(capabilities):  # L-18
    caps = set()
    for family, value in ((family, value) for family, value in capabilities.items() if family in FAMILIES):
        hosts = value["hosts"] if isinstance(value, dict) else value
        if family == "net" and isinstance(value, dict) and value.get("allow_http") and hosts: caps.add("net:allow_http")
        if hosts is True: caps.add(family)
        if isinstance(hosts, list): caps.update(f"{family}:{entry}" for entry in entries_of(family, hosts))
    return caps

def tools_in(schemas, texts):  # L-19
    found = {}
    for tool in texts[TOOLS].get("tools", []):
        own = schemas.of_tools[tool["id"]]
        used = {path: one.value for path, one in schemas.of_files.items() if any(one in Reach(schemas, document).documents for document in own)}
        found[tool["id"]] = "blake3:" + digest_of(canonical({"schemas": used, "tool": tool}).encode())
    return found

# 20 Trust channels
CHANNEL_TYPE = "application/vnd.runloop.trust-channel.v1+json"
MEMBERS = {
    "root": ["version", "epoch", "expires", "keys", "threshold", "heartbeats", "heartbeat_seconds"],
    "release": ["epoch", "version", "expires", "files"],
    "heartbeat": ["epoch", "root", "release", "issued", "expires"],
}
DAMAGED, STALE, BEHIND = "trust_channel_damaged", "trust_channel_stale", "clock_behind"

class Said:  # A statement; its members are attributes
    def __init__(self, data, kind):  # N-1 to N-10
        try:
            self.payload, self.signatures = read_envelope(data, CHANNEL_TYPE, 64)
            self.value = attempt("malformed", (ValueError, RecursionError), lambda: json.loads(self.payload.decode("utf-8")))
            self.digest = digest_of(self.payload)
            sound(isinstance(self.value, dict) and self.value.get("kind") == kind and compact(self.value) == self.payload)
            names = ["channel"] if kind != "root" or self.value.get("version") != 1 else []
            sound(list(self.value) == ["kind", *names, *MEMBERS[kind]])
            self.__dict__.update(self.value)
            sound("channel" not in self.value or is_hex(self.channel, "blake3"))
            sound(is_count(self.epoch) and is_second(self.expires))
            getattr(self, "check_" + kind)()
        except Refused as refused:
            raise Refused("malformed") from refused
        self.channel = self.value.get("channel") or "blake3:" + self.digest
    def check_root(self):
        sound(is_count(self.version) and is_count(self.heartbeat_seconds))
        for keys in (self.keys, self.heartbeats):  # N-7
            sound(are_texts(keys, key_of) and 1 <= len(keys) <= 32 and all(one < two for one, two in zip(keys, keys[1:])))
        sound(not set(self.keys) & set(self.heartbeats) and is_count(self.threshold) and self.threshold <= len(self.keys))  # N-7, N-8
    def check_release(self):  # N-9
        sound(is_count(self.version) and isinstance(self.files, dict) and "trust-policy.toml" in self.files and len(self.files) <= 16)
        sound(list(self.files) == sorted(self.files))
        for name, one in self.files.items():
            sound(re.fullmatch("[a-z0-9][a-z0-9._-]{0,63}", name) and ".." not in name and not re.fullmatch("[0-9]+", name))
            sound(isinstance(one, dict) and list(one) == ["blake3", "sha256", "size"] and is_whole(one["size"]) and 0 <= one["size"] <= 4_194_304)
            sound(all(is_text(one[kind]) and re.fullmatch("[0-9a-f]{64}", one[kind]) for kind in ("blake3", "sha256")))
    def check_heartbeat(self):  # N-10
        for one in (self.root, self.release):
            sound(isinstance(one, dict) and list(one) == ["version", "blake3"] and is_count(one["version"]))
            sound(is_text(one["blake3"]) and re.fullmatch("[0-9a-f]{64}", one["blake3"]))
        sound(is_second(self.issued) and self.issued < self.expires)
    def need_signers(self, keys, least):  # N-11
        message = b"DSSEv1 %d %s %d " % (len(CHANNEL_TYPE), CHANNEL_TYPE.encode(), len(self.payload)) + self.payload
        need(sum(keyid in keys and is_signature(keyid, sig, message) for keyid, sig in self.signatures) >= least, "too_few_signatures")

def sound(condition): need(condition, "malformed")
def is_count(value): return is_whole(value) and 1 <= value <= MOST_WHOLE
def is_signature(keyid, sig, message):
    try:
        check_one(keyid, sig, message)
    except Refused:
        return False
    return True

class Channel:  # What a host knows of one
    def __init__(self, pinned):
        self.pinned, self.roots, self.release, self.heartbeat, self.files = pinned, [], None, None, {}
        self.highest, self.updated = {}, None

    def update(self, place, clock):  # N-12 to N-20
        offered = place.get
        if not self.roots: self.roots.append(self.find_pinned(place))
        for walked in itertools.count():  # N-13 to N-15, N-19
            data = offered(f"_{self.roots[-1].version + 1}.root.json")
            if data is None: break
            need(walked < 256, "too_many_roots")
            root = Said(data, "root")
            check_next(self.roots[-1], root)
            self.roots.append(root)
        root = self.roots[-1]
        data = offered("_heartbeat.json")
        need(data is not None, "missing")
        heartbeat = Said(data, "heartbeat")
        need(not is_after(clock, root.expires), "ended")  # N-15
        self.check_heartbeat(heartbeat, clock)
        need(not is_after(clock, heartbeat.expires), "ended")
        release = self.find_release(heartbeat, offered)
        need(not is_after(clock, release.expires), "ended")
        files = {name: self.file(name, one, place) for name, one in release.files.items()}
        try:
            policy = TrustPolicy(Toml(files["trust-policy.toml"], most=400_000).root, "1970-01-01T00:00:00Z")
            if policy.root: check_root(policy.root, files.get(policy.root["file"], b""))
        except Refused as refused:
            raise Refused("policy_unusable") from refused
        self.release, self.heartbeat, self.files, self.updated = release, heartbeat, files, clock[:19] + "Z"  # N-19
        self.highest = {"heartbeat": place_of(heartbeat), "release": place_of(release)}

    def find_pinned(self, place):  # N-12
        for name in sorted(place):
            if not re.fullmatch("_.*[.]root[.]json", name): continue
            try:
                root = Said(place[name], "root")
            except Refused:
                continue
            if "blake3:" + root.digest != self.pinned: continue
            root.need_signers(root.keys, root.threshold)
            return root
        raise Refused("missing")

    def check_heartbeat(self, heartbeat, clock):  # N-16
        root = self.roots[-1]
        need(heartbeat.channel == root.channel, "other_channel")
        need(heartbeat.epoch == root.epoch, "wrong_epoch")
        need(heartbeat.root == {"version": root.version, "blake3": root.digest}, "other_root")
        need(seconds(heartbeat.expires) - seconds(heartbeat.issued) <= root.heartbeat_seconds, "lasts_too_long")
        need(seconds(heartbeat.issued) - seconds(clock) <= 600, "ahead")
        self.check_order(heartbeat, "heartbeat")
        heartbeat.need_signers(root.heartbeats, 1)

    def check_release(self, release):  # N-17
        root = self.roots[-1]
        need(release.channel == root.channel, "other_channel")
        need(release.epoch == root.epoch, "wrong_epoch")
        self.check_order(release, "release")
        release.need_signers(root.keys, root.threshold)

    def check_order(self, said, kind):  # N-20
        before, now = self.highest.get(kind), place_of(said)
        need(before is None or now[:2] >= before[:2], "older")
        need(before is None or now[:2] > before[:2] or now == before, "other_content")

    def find_release(self, heartbeat, offered):  # N-17
        if self.release and is_named(heartbeat, self.release):
            try:
                self.check_release(self.release)
                return self.release
            except Refused:
                pass
        data = offered("_release.json")
        need(data is not None, "missing")
        release = Said(data, "release")
        need(is_named(heartbeat, release), "other_release")
        self.check_release(release)
        return release

    def file(self, name, one, place):  # N-18
        known = self.files.get(name)
        if known is not None and is_file(known, one): return known
        said = one["size"], one["sha256"]
        need(place.listed.get(name, said) == said, "wrong_bytes")
        need(name in place, "missing")
        need(is_file(place[name], one), "wrong_bytes")
        return place[name]

    def undecided(self, clock):  # N-21 to N-24: why it decides nothing, or None
        if not self.roots: return DAMAGED
        seen = max(filter(None, (self.heartbeat and self.heartbeat.issued, self.updated)), default=None)
        if seen and seconds(clock) < seconds(seen) - 600: return BEHIND
        if not self.release: return STALE
        try:
            self.check_heartbeat(self.heartbeat, self.heartbeat.issued)
            self.check_release(self.release)
        except Refused:
            return STALE
        return STALE if any(is_after(clock, one.expires) for one in (self.heartbeat, self.release, self.roots[-1])) else None

def check_next(before, root):  # N-13
    need(root.version == before.version + 1, "gap")
    need(root.channel == before.channel, "other_channel")
    need(root.epoch in (before.epoch, before.epoch + 1), "wrong_epoch")
    root.need_signers(before.keys, before.threshold)
    root.need_signers(root.keys, root.threshold)

def place_of(said): return said.epoch, said.version if hasattr(said, "version") else seconds(said.issued), said.digest
def is_named(heartbeat, release): return heartbeat.release == {"version": release.version, "blake3": release.digest}
def is_file(data, one): return one == {"blake3": digest_of(data), "sha256": hashlib.sha256(data).hexdigest(), "size": len(data)}

class Offered(dict):  # 20.6: what a place offers, by its names
    listed = {}  # In an image layout: the size and the SHA-256 with which each file is listed

def in_folder(update): return Offered({path.name: path.read_bytes() for path in pathlib.Path(update["folder"]).glob("*")})
def in_layout(update):
    folder, offered = pathlib.Path(update["layout"]), Offered()
    def at(one): return folder / "blobs/sha256" / one["digest"].removeprefix("sha256:")
    if not folder.exists(): return offered
    tags = {one["annotations"]["org.opencontainers.image.ref.name"]: one for one in json.loads((folder / "index.json").read_bytes())["manifests"]}
    layers = [layer for tag in ("channel", "heartbeat") if tag in tags for layer in json.loads(at(tags[tag]).read_bytes())["layers"]]
    offered.listed = {title_of(layer): (layer["size"], at(layer).name) for layer in layers}
    for layer in filter(lambda layer: at(layer).exists(), layers):
        data = at(layer).read_bytes()
        is_damaged = (len(data), hashlib.sha256(data).hexdigest()) != offered.listed[title_of(layer)]
        offered[title_of(layer)] = b"" if is_damaged and title_of(layer).startswith("_") else data  # No statement: malformed
    return offered

def title_of(layer): return layer["annotations"]["org.opencontainers.image.title"]

def answer_channel(text, place=in_folder):
    asked = json.loads(text)
    channel, codes = Channel(asked["root"]), []
    for update in asked["updates"]:
        codes = []
        try:
            channel.update(place(update), update["clock"])
        except Refused as refused:
            codes = [refused.code]
    release = channel.release and [channel.release.epoch, channel.release.version]
    known = {"root": channel.roots[-1].version if channel.roots else 0, "release": release, "undecided": channel.undecided(asked["clock"])}
    return "refused" if codes else "accepted", codes, known

# 23 Shards
def segments_of(text): return [part for part in text.split("/") if part not in ("", ".")]  # F-1
def last_name(text):  # F-1
    segments = segments_of(text) or [text]
    return segments[-2] if segments[-1] == "agent.bundle" and segments[:-1] and segments[-2] != ".." else segments[-1]

def shard_name(target):  # F-2 to F-4
    if target.startswith("oci://"):
        host, _, rest = target.removeprefix("oci://").partition("/")
        place, path = host_of(host), segments_of(re.split("[:@]", rest)[0])
        if place and path: return "/".join([place[0] + (f":{place[1]}" if place[1] else ""), *path])
    if not target.startswith("oci-layout:"): return last_name(target)
    folder = re.sub(r"@sha256:[0-9a-f]{64}\Z", "", target.removeprefix("oci-layout:"))
    before, colon, after = folder.rpartition(":")
    return last_name(before if colon and not {"/", "\\"} & set(after) else folder)

def answer_shard(text):  # F-5, F-6
    asked = json.loads(text)
    if not is_whole(asked["of"]) or not 2 <= asked["of"] <= 1_000_000: return "refused", []
    number = int.from_bytes(hashlib.sha256(shard_name(asked["target"]).encode()).digest()[:6], "big")
    return f"{number % asked['of'] + 1}/{asked['of']}", []

def answer_identity(text):
    asked = json.loads(text)
    misfit = first_misfit(asked["anchor"], asked["facts"])
    return ("refused", [misfit]) if misfit else ("counts", [])

# All together
def judge(bundle, policy, given):  # 10.1, 10.2: the verdict and the first code, if there is one
    clock = given.get("clock") or "2026-07-01T00:00:00Z"
    against = []

    def ask(check, *arguments):  # What the question has found, or None if it has answered against the bundle
        try:
            return check(*arguments)
        except Refused as refused:
            against.append((SEVERITY.index(refused.verdict), refused.code))

    examined = ask(examine, pathlib.Path(bundle).read_bytes())
    if examined is None: return "invalid", [against[0][1]]
    agent, identity, signers, until, contents = examined
    called = agent["name"] + ("@" + agent["variant"] if "variant" in agent else "")
    ask(need, signers is not None, "no_signature", "unsigned")  # S-1
    ask(check_expectation, given.get("expect"), agent, identity, bundle)
    policies = [ask(read_trust_policy, path, clock) for path in (given.get("system"), policy) if path]
    counted = [policy and ask(check_trust, policy, signers, given.get("dev"), identity, called, until, clock) for policy in policies]
    ask(need, signers is None or policies, "no_trust_policy", "indeterminate")  # J-9
    facts = None
    if signers is not None and policies and None not in counted:  # J-3
        grants, facts = ask(contents, bool(given.get("lock"))) or (None, None)
        for trusted, names in zip(policies, counted if grants is not None else []): ask(check_grants, trusted, names, called, grants)  # J-4
    if given.get("lock"):
        agents = ask(read_lock, given["lock"])
        keys = {key for one in filter(None, policies) for key in signers or [] if counting(one, [key], given.get("dev"), clock)}
        if agents is not None: ask(check_lock, agents, agent, called, agent["version"], identity, keys, facts)
    marks = ask(marks_of, given.get("state"), called)
    if signers is not None:  # J-37
        ask(need, until is None or not is_after(clock, until), "expired", "expired")  # J-35
        floors = [version for one in filter(None, policies) for pattern, version in one.floors.items() if covers(pattern, called)]
        ask(check_fresh, marks or [], agent["version"], identity, floors)
    severity, code = min(against, key=lambda one: one[0], default=(None, None))  # J-5, J-6: the first of those
    came = given.get("attestations") or pathlib.Path(bundle + ".intoto.jsonl").exists()
    if came and severity != 0 and any(one.root for one in filter(None, policies)): return "none", []  # Sigstore bundles are level 6
    return (SEVERITY[severity], [code]) if against else ("trusted", [])

def examine(data):  # Questions 1 to 4: the agent, its identity, the keys that signed or None, notAfter, and what answers question 7
    files = read_bundle(data)
    need(all(path in files for path in (MANIFEST, POLICY, TOOLS)), "files/required")  # M-1
    manifest = Toml(files[MANIFEST])
    named = check_manifest(manifest.root)
    agent = manifest.root["agent"]
    signers, until = check_signature(files, agent) if SIGNATURE in files else (None, None)
    check_digests(files, named)
    contents = functools.partial(check_contents, files, manifest.root, manifest.tokens, named[0][0])
    return agent, "blake3:" + digest_of(files[MANIFEST]), signers, until, contents

def answer(bundle, policy, given="{}"):
    return ("none", []) if bundle.startswith(("oci-layout:", "oci://")) else judge(bundle, policy, json.loads(given))  # registries are level 6

def answer_text(path, syntax):  # 3: a text alone is read as the one text of its kind in a bundle
    try:
        read_texts({POLICY: b"#", {"json": TOOLS, "toml": POLICY}[syntax]: pathlib.Path(path).read_bytes()}, 0)
    except Refused as refused:
        return "refused", [refused.code]
    return "accepted", []

def main(arguments):
    sys.setrecursionlimit(3000)  # for circles of 600 subschemas (D-20)
    layouts = functools.partial(answer_channel, place=in_layout)
    replies = {"--texts": answer_text, "--channels": answer_channel, "--layouts": layouts, "--identities": answer_identity, "--shards": answer_shard}
    reply, asked = (replies[arguments[0]], arguments[1:]) if arguments and arguments[0] in replies else (answer, arguments)
    if asked != ["--lines"] and len(asked) < (1 if reply in (answer_channel, layouts, answer_identity, answer_shard) else 2): sys.exit(__doc__)
    for words in (line.rstrip("\n").split("\t") for line in sys.stdin) if asked == ["--lines"] else [asked]:
        verdict, codes, *more = reply(*words)
        print(json.dumps({"verdict": verdict, "codes": codes, **(more[0] if more else {})}), flush=True)

if __name__ == "__main__": main(sys.argv[1:])
