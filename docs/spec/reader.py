#!/usr/bin/env python3
"""A second reader of levels 1 and 2, written from the pages in this folder.

    reader.py BUNDLE POLICY      one line of JSON: {"verdict": ..., "codes": [...]}
    reader.py --lines            the same for each line BUNDLE<tab>POLICY of standard input

It is a check of the pages, not a tool to install bundles with: of later levels it has only what the vectors of levels 1 and 2 need. It compares
digests, and a bundle is trusted if one key that signed it is an anchor of the policy. What a signer may grant, it does not ask.
Needs Python 3.11 and python3-cryptography; b3sum for vectors of half a gibibyte.
"""

import base64
import binascii
import hashlib
import json
import re
import struct
import subprocess
import sys
import tomllib
import zlib

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey


class Refused(Exception):
    """The verdict is invalid, with this code."""

    def __init__(self, code, why):
        super().__init__(why)
        self.code = code


def not_canonical(condition, why):
    if not condition:
        raise Refused("not_canonical", why)


# 1 The archive

BLOCK = 512
MOST_FILES = 10_000
MOST_FILE_BYTES = 536_870_912
MOST_BYTES = 1_073_741_824
ROOT = b"agent.bundle/"
MANIFEST = b"manifest.toml"
SIGNATURE = b"SIGNATURES/manifest.sig"
SEGMENT = re.compile(rb"[A-Za-z0-9_][A-Za-z0-9._@+-]*")
DEVICE = re.compile(rb"con|prn|aux|nul|com[0-9]|lpt[0-9]")


def read_bundle(data):
    """A-1, G-1"""
    return read_archive(unwrapped(data) if data[:2] == b"\x1f\x8b" else data)


def unwrapped(data):
    """G-2 to G-8"""
    not_canonical(len(data) >= 10 and data[2] == 8 and data[3] == 0, "the gzip header")
    inflate = zlib.decompressobj(wbits=-15)
    try:
        # One file more than the limits cannot hold: headers, padding and the end.
        inner = inflate.decompress(data[10:], MOST_BYTES + 2 * BLOCK * (MOST_FILES + 1))
    except zlib.error as error:
        raise Refused("not_canonical", "the gzip data is damaged") from error
    not_canonical(inflate.eof, "the gzip data is cut off or beyond the limits")
    trailer = inflate.unused_data
    not_canonical(len(trailer) == 8, "the gzip trailer")
    not_canonical(trailer == struct.pack("<II", zlib.crc32(inner), len(inner) & 0xFFFFFFFF), "the gzip checksum")
    return inner


def read_archive(data):
    """A-3 to A-33: a dict of paths and contents."""
    files = {}
    at = 0
    total = 0
    last = None
    while True:
        header = data[at : at + BLOCK]
        not_canonical(len(header) == BLOCK, "cut off")
        at += BLOCK
        if header == bytes(BLOCK):
            break
        path, size = read_header(header)
        not_canonical(path not in files, "twice")
        not_canonical(last is None or rank(last) < rank(path), "order")
        last = path
        total += size
        not_canonical(len(files) < MOST_FILES, "too many files")
        not_canonical(size <= MOST_FILE_BYTES and total <= MOST_BYTES, "too large")
        content = memoryview(data)[at : at + size] if size > MOST_IN_PYTHON else data[at : at + size]
        not_canonical(len(content) == size, "cut off")
        at += size
        padding = data[at : at + -size % BLOCK]
        not_canonical(padding == bytes(-size % BLOCK), "padding")
        at += len(padding)
        files[path] = content
    not_canonical(data[at : at + BLOCK] == bytes(BLOCK), "no second zero block")
    not_canonical(len(data) == at + BLOCK, "bytes after the end")
    check_clashes(files)
    return files


def rank(path):
    """A-27"""
    return (0 if path == MANIFEST else 1 if path == SIGNATURE else 2, path)


def read_header(header):
    """A-7: the header made anew from its path and size is the same."""
    name = header[0:100].split(b"\0")[0]
    prefix = header[345:500].split(b"\0")[0]
    full = prefix + b"/" + name if prefix else name
    not_canonical(full.startswith(ROOT), "root folder")
    path = full[len(ROOT) :]
    check_path(path)
    digits = header[124:135]
    not_canonical(re.fullmatch(rb"[0-7]{11}", digits) is not None, "size")
    size = int(digits, 8)
    not_canonical(header == make_header(path, size), "a header that is not canonical")
    return path, size


def make_header(path, size):
    """A-8 to A-20"""
    full = ROOT + path
    prefix, name = b"", full
    if len(full) > 100:
        cut = full.rfind(b"/", 0, 156)
        prefix, name = full[:cut], full[cut + 1 :]
        not_canonical(cut > 0 and 1 <= len(name) <= 100, "too long")
    mode = b"0000755\0" if path.startswith(b"bin/") else b"0000644\0"
    before = name.ljust(100, b"\0") + mode + b"0000000\0" * 2 + b"%011o\0" % size + b"03560116604\0"
    after = b"0" + bytes(100) + b"ustar\0" + b"00" + bytes(64) + b"0000000\0" * 2 + prefix.ljust(155, b"\0") + bytes(12)
    return before + b"%06o\0 " % (sum(before) + 8 * 0x20 + sum(after)) + after


def check_path(path):
    """A-22 to A-26"""
    segments = path.split(b"/")
    for segment in segments:
        not_canonical(SEGMENT.fullmatch(segment) is not None, "a segment")
        not_canonical(not segment.endswith(b"."), "a segment that ends in a dot")
        not_canonical(DEVICE.fullmatch(segment.split(b".")[0].lower()) is None, "a device")
    not_canonical(segments[0].lower() != b"signatures" or segments[0] == b"SIGNATURES", "SIGNATURES")
    not_canonical(not path.startswith(b"SIGNATURES/") or path == SIGNATURE, "a file beside the signature")


def check_clashes(files):
    """A-29, A-30"""
    spelled = {}
    folders = set()
    for path in files:
        segments = path.split(b"/")
        parts = [b"/".join(segments[:count]) for count in range(1, len(segments) + 1)]
        folders.update(parts[:-1])
        for part in parts:
            not_canonical(spelled.setdefault(part.lower(), part) == part, "only the case differs")
    not_canonical(not folders & set(files), "a file is a folder")


# 2 The signature

MOST_ENVELOPE = 65_536
MOST_SIGNATURES = 16
PAYLOAD_TYPE = "application/vnd.in-toto+json"
STATEMENT_TYPE = "https://in-toto.io/Statement/v1"
PREDICATE_TYPE = "urn:runloop:agent-bundle:v1"
P = 2**255 - 19
L = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, -1, P) % P


def malformed(condition, why, code="signature_malformed"):
    if not condition:
        raise Refused(code, why)


def compact(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "surrogatepass")


def parsed(data, code):
    try:
        return json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise Refused(code, "not JSON") from error


def from_base64(text):
    """2.5: the bytes of the one spelling, or None."""
    try:
        data = base64.b64decode(text.encode("ascii"), validate=True)
    except (UnicodeEncodeError, binascii.Error):
        return None
    return data if base64.b64encode(data).decode() == text else None


def check_signature(files, agent):
    """S-3 to S-30: the key ids."""
    data = files[SIGNATURE]
    payload, signatures = read_envelope(data)
    message = b"DSSEv1 %d %s %d " % (len(PAYLOAD_TYPE), PAYLOAD_TYPE.encode(), len(payload)) + payload
    for keyid, sig in signatures:
        check_one(keyid, sig, message)
    check_statement(payload, files[MANIFEST], agent)
    return [keyid for keyid, _ in signatures]


def read_envelope(data):
    """S-3 to S-11"""
    malformed(len(data) <= MOST_ENVELOPE, "too large")
    value = parsed(data, "signature_malformed")
    malformed(isinstance(value, dict), "no object")
    malformed(list(value) == ["payloadType", "payload", "signatures"], "other members")
    malformed(value["payloadType"] == PAYLOAD_TYPE, "payload type")
    malformed(isinstance(value["payload"], str) and isinstance(value["signatures"], list), "types")
    payload = from_base64(value["payload"])
    malformed(payload is not None, "payload")
    malformed(1 <= len(value["signatures"]) <= MOST_SIGNATURES, "how many signatures")
    found = []
    for one in value["signatures"]:
        malformed(isinstance(one, dict) and list(one) == ["keyid", "sig"], "a signature")
        malformed(all(isinstance(text, str) for text in one.values()), "a signature")
        sig = from_base64(one["sig"])
        malformed(sig is not None and len(sig) == 64, "sig")
        found.append((one["keyid"], sig))
    keyids = [keyid.encode("utf-8", "surrogatepass") for keyid, _ in found]
    malformed(all(one < two for one, two in zip(keyids, keyids[1:])), "order, or a key twice")
    malformed(compact(value) == data, "another form")
    return payload, found


def check_one(keyid, sig, message):
    """S-12 to S-18"""
    malformed(keyid.startswith("ed25519:"), "kind of key")
    key = from_base64(keyid[len("ed25519:") :])
    malformed(key is not None and len(key) == 32, "key")
    malformed(is_point(key), "no canonical point")
    malformed(y_of(key) not in SMALL, "a key of small order")
    wrong = "signature_invalid"
    malformed(y_of(sig[:32]) not in SMALL, "R of small order", wrong)
    malformed(int.from_bytes(sig[32:], "little") < L, "S", wrong)
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(sig, message)
    except InvalidSignature as error:
        raise Refused(wrong, "not one of its key") from error


def y_of(data):
    return int.from_bytes(data, "little") % 2**255


def x_of(y):
    """An x of the point with this y, or None."""
    square = (y * y - 1) * pow(D * y * y + 1, -1, P) % P
    x = pow(square, (P + 3) // 8, P)
    if x * x % P != square:
        x = x * pow(2, (P - 1) // 4, P) % P
    return x if x * x % P == square else None


def is_point(data):
    """S-13: the canonical encoding of a point."""
    y = y_of(data)
    if y >= P:
        return False
    x = x_of(y)
    return x is not None and not (x == 0 and data[31] & 0x80)


def double(x, y):
    product = D * x * x * y * y % P
    return 2 * x * y * pow(1 + product, -1, P) % P, (y * y + x * x) * pow(1 - product, -1, P) % P


def small_ys():
    """The y of the eight points that are the identity after doubling three times."""
    ys = {0, 1, P - 1}
    # Order 8: the double has y = 0. So y*y = -x*x, and the curve's equation -x^2 + y^2 = 1 + d x^2 y^2 is: 2 y^2 = 1 - d y^4.
    root = x_root((1 + D) % P)
    for sign in (1, -1):
        square = (-1 + sign * root) * pow(D, -1, P) % P
        y = x_root(square)
        if y is not None:
            ys.update({y, P - y})
    for y in ys:
        point = (x_of(y), y)
        for _ in range(3):
            point = double(*point)
        assert point == (0, 1)
    assert len(ys) == 5
    return ys


def x_root(square):
    root = pow(square, (P + 3) // 8, P)
    if root * root % P != square:
        root = root * pow(2, (P - 1) // 4, P) % P
    return root if root * root % P == square else None


SMALL = small_ys()


def check_statement(payload, manifest, agent):
    """S-19 to S-29"""
    code = "statement_malformed"
    value = parsed(payload, code)

    def members(found, names, optional=()):
        malformed(isinstance(found, dict), "no object", code)
        malformed(list(found) in ([*names], [*names, *optional]), "other members", code)
        return found

    members(value, ["_type", "subject", "predicateType", "predicate"])
    malformed(value["_type"] == STATEMENT_TYPE, "_type", code)
    malformed(value["predicateType"] == PREDICATE_TYPE, "predicateType", code)
    malformed(isinstance(value["subject"], list) and len(value["subject"]) == 1, "subject", code)
    subject = members(value["subject"][0], ["name", "digest"])
    malformed(subject["name"] == "manifest.toml", "subject", code)
    digest = members(subject["digest"], ["blake3", "sha256"])
    for text in digest.values():
        malformed(isinstance(text, str) and re.fullmatch(r"[0-9a-f]{64}", text) is not None, "digest", code)
    predicate = members(value["predicate"], ["agent"], ["notAfter"])
    named = members(predicate["agent"], ["name", "version"], ["variant"])
    malformed(all(isinstance(text, str) for text in named.values()), "agent", code)
    malformed("notAfter" not in predicate or is_second(predicate["notAfter"]), "notAfter", code)
    malformed(compact(value) == payload, "another form", code)
    other = "statement_mismatch"
    malformed(digest["blake3"] == blake3(manifest), "blake3", other)
    malformed(digest["sha256"] == hashlib.sha256(manifest).hexdigest(), "sha256", other)
    malformed(named == {key: agent[key] for key in ("name", "version", "variant") if key in agent}, "agent", other)


def is_second(text):
    """S-27"""
    found = isinstance(text, str) and re.fullmatch(r"([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})Z", text)
    if not found:
        return False
    year, month, day, hour, minute, second = map(int, found.groups())
    leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    days = (31, 29 if leap else 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
    return 1 <= month <= 12 and 1 <= day <= days[month - 1] and hour < 24 and minute < 60 and second < 60


# BLAKE3 (https://github.com/BLAKE3-team/BLAKE3-specs); b3sum for files that would take minutes here

MOST_IN_PYTHON = 16 * 1024 * 1024
IV = struct.unpack(">8I", bytes.fromhex("6a09e667bb67ae853c6ef372a54ff53a510e527f9b05688c1f83d9ab5be0cd19"))
ORDER = (2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8)
CHUNK_START, CHUNK_END, PARENT, TOP = 1, 2, 4, 8
MIXED = ((0, 4, 8, 12), (1, 5, 9, 13), (2, 6, 10, 14), (3, 7, 11, 15), (0, 5, 10, 15), (1, 6, 11, 12), (2, 7, 8, 13), (3, 4, 9, 14))


def compress(chain, words, counter, length, flags):
    mask = 0xFFFFFFFF
    v = [*chain, *IV[:4], counter & mask, counter >> 32, length, flags]
    for _ in range(7):
        for index, (a, b, c, d) in enumerate(MIXED):
            for word, turn_d, turn_b in ((words[2 * index], 16, 12), (words[2 * index + 1], 8, 7)):
                v[a] = (v[a] + v[b] + word) & mask
                mixed = v[d] ^ v[a]
                v[d] = (mixed >> turn_d | mixed << (32 - turn_d)) & mask
                v[c] = (v[c] + v[d]) & mask
                mixed = v[b] ^ v[c]
                v[b] = (mixed >> turn_b | mixed << (32 - turn_b)) & mask
        words = [words[place] for place in ORDER]
    return [v[place] ^ v[place + 8] for place in range(8)]


def chunk_output(data, counter):
    """All blocks but the last are compressed; the last may be the root."""
    chain = IV
    blocks = [data[at : at + 64] for at in range(0, len(data), 64)] or [b""]
    for index, block in enumerate(blocks):
        flags = (CHUNK_START if index == 0 else 0) | (CHUNK_END if index == len(blocks) - 1 else 0)
        words = struct.unpack("<16I", block.ljust(64, b"\0"))
        if index == len(blocks) - 1:
            return chain, words, counter, len(block), flags
        chain = compress(chain, words, counter, len(block), flags)


def tree_output(data, counter):
    if len(data) <= 1024:
        return chunk_output(data, counter)
    # The left part has the most chunks of a power of two that leave one for the right.
    chunks = (len(data) - 1) // 1024
    left = 1 << (chunks.bit_length() - 1)
    one = compress(*tree_output(data[: left * 1024], counter))
    two = compress(*tree_output(data[left * 1024 :], counter + left))
    return IV, [*one, *two], 0, 64, PARENT


def blake3(data):
    if len(data) > MOST_IN_PYTHON:
        return subprocess.run(["b3sum", "--no-names"], input=data, capture_output=True, check=True).stdout.decode().strip()
    chain, words, counter, length, flags = tree_output(data, 0)
    return struct.pack("<8I", *compress(chain, words, counter, length, flags | TOP)).hex()


# What later levels need of these vectors

HASHED = {}


def digest_of(data):
    """Most vectors hold the same files."""
    if isinstance(data, memoryview):
        return blake3(data)
    if data not in HASHED:
        HASHED[data] = blake3(data)
    return HASHED[data]


def digests_in(manifest):
    agent = manifest["agent"]
    tables = [agent["entry_native"], manifest["artifacts"]["tools"], manifest["artifacts"]["policy"]]
    found = {table["path"].encode(): table["blake3"] for table in tables}
    found.update({path.encode(): digest for path, digest in manifest["artifacts"].get("files", {}).items()})
    return found


def judge(bundle, policy):
    with open(bundle, "rb") as file:
        data = file.read()
    try:
        files = read_bundle(data)
        manifest = tomllib.loads(files[MANIFEST].decode("utf-8"))
        signers = check_signature(files, manifest["agent"]) if SIGNATURE in files else None
    except Refused as refused:
        return "invalid", [refused.code]
    named = digests_in(manifest)
    if set(named) != set(files) - {MANIFEST, SIGNATURE} or any(digest_of(files[path]) != digest for path, digest in named.items()):
        return "invalid", ["digests"]
    if signers is None:
        return "unsigned", ["no_signature"]
    with open(policy, "rb") as file:
        anchors = set(tomllib.load(file)["anchors"].values())
    return ("trusted", []) if anchors & set(signers) else ("untrusted", ["no_counted_signature"])


def answer(bundle, policy):
    verdict, codes = judge(bundle, policy)
    return json.dumps({"verdict": verdict, "codes": codes})


def main(arguments):
    if arguments == ["--lines"]:
        for line in sys.stdin:
            print(answer(*line.rstrip("\n").split("\t")[:2]), flush=True)
    elif len(arguments) == 2:
        print(answer(*arguments))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
