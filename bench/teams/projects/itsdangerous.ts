import { itsdangerous as real } from "../../../e2e/real/projects/python.ts";
import type { Feature, TeamProject } from "../feature.ts";

const signer = "src/itsdangerous/signer.py";
const test = (name: string, imports: string, body: string): Feature["test"] => ({
  path: `tests/test_itsdangerous/test_${name}.py`,
  content: `from __future__ import annotations\n\nimport pytest\n\n${imports}\n\n\ndef test_${name}() -> None:\n${body}`,
});

/** An option of the signer that is looked at when a value is signed: all of them meet in the same lines. */
const option = (
  name: string,
  type: string,
  title: string,
  asks: string,
  use: string,
  body: string,
): Feature => ({
  id: name.replaceAll("_", "-"),
  title,
  asks,
  edits: [
    {
      path: signer,
      from: "    ):\n        #: The list of secret keys to try for verifying",
      to: `        ${name}: ${type} | None = None,\n    ):\n        #: The list of secret keys to try for verifying`,
    },
    {
      path: signer,
      from: "        if key_derivation is None:\n",
      to: `        self.${name} = ${name}\n\n        if key_derivation is None:\n`,
    },
    {
      path: signer,
      from: "        return value + self.sep + self.get_signature(value)\n",
      to: `${use}\n        return value + self.sep + self.get_signature(value)\n`,
    },
  ],
  test: test(name, "from itsdangerous import Signer", body),
});

const maxLength = option(
  "max_length",
  "int",
  "Refuse to sign long values",
  "`Signer(max_length=…)`: `sign` raises ValueError for a longer value",
  '        if self.max_length is not None and len(value) > self.max_length:\n            raise ValueError("The value is too long to be signed.")\n',
  '    signer = Signer("key", max_length=3)\n    assert signer.unsign(signer.sign("abc")) == b"abc"\n    with pytest.raises(ValueError, match="too long"):\n        signer.sign("abcd")\n',
);
const forbidden = option(
  "forbidden",
  "bytes",
  "Refuse to sign values with forbidden bytes",
  "`Signer(forbidden=…)`: `sign` raises ValueError for a value with one of these bytes",
  '        if any(byte in value for byte in self.forbidden or b""):\n            raise ValueError("The value has a forbidden byte.")\n',
  '    signer = Signer("key", forbidden=b"\\n")\n    assert signer.unsign(signer.sign("abc")) == b"abc"\n    with pytest.raises(ValueError, match="forbidden"):\n        signer.sign("a\\nb")\n',
);
const onSign = option(
  "on_sign",
  "t.Callable[[bytes], None]",
  "Report every signed value",
  "`Signer(on_sign=…)`: `sign` calls it with each value, as bytes, before it signs it",
  "        if self.on_sign is not None:\n            self.on_sign(value)\n",
  '    seen: list[bytes] = []\n    Signer("key", on_sign=seen.append).sign("abc")\n    assert seen == [b"abc"]\n    with pytest.raises(TypeError):\n        Signer("key", on_sign=1).sign("abc")  # type: ignore[arg-type]\n',
);
const normalize = option(
  "normalize",
  "t.Callable[[bytes], bytes]",
  "Normalize values before they are signed",
  "`Signer(normalize=…)`: `sign` signs what it returns for the value, as bytes",
  "        if self.normalize is not None:\n            value = want_bytes(self.normalize(value))\n",
  '    signer = Signer("key", normalize=bytes.lower)\n    assert signer.unsign(signer.sign("ABC")) == b"abc"\n    with pytest.raises(TypeError):\n        Signer("key", normalize=1).sign("abc")  # type: ignore[arg-type]\n',
);

const emptyKeys: Feature = {
  id: "empty-keys",
  title: "Refuse an empty list of keys",
  asks: "`_make_keys_list` raises ValueError for an empty iterable of keys",
  edits: [
    {
      path: signer,
      from: "    return [want_bytes(s) for s in secret_key]  # pyright: ignore\n",
      to: '    keys = [want_bytes(s) for s in secret_key]  # pyright: ignore\n\n    if not keys:\n        raise ValueError("At least one secret key is needed.")\n\n    return keys\n',
    },
  ],
  test: test(
    "empty_keys",
    "from itsdangerous import Signer",
    '    assert Signer(["a"]).secret_key == b"a"\n    with pytest.raises(ValueError, match="At least one"):\n        Signer([])\n',
  ),
};
const byteArrays: Feature = {
  id: "byte-arrays",
  title: "Take keys from byte arrays",
  asks: "a bytearray is one key, not a list of keys",
  edits: [
    {
      path: signer,
      from: "    if isinstance(secret_key, (str, bytes)):\n",
      to: "    if isinstance(secret_key, bytearray):\n        secret_key = bytes(secret_key)\n\n    if isinstance(secret_key, (str, bytes)):\n",
    },
  ],
  test: test(
    "byte_arrays",
    "from itsdangerous import Signer",
    '    assert Signer(bytearray(b"key")).secret_keys == [b"key"]\n    with pytest.raises(TypeError):\n        Signer(1)  # type: ignore[arg-type]\n',
  ),
};
const blake: Feature = {
  id: "blake",
  title: "Derive keys with BLAKE2",
  asks: "key derivation `blake2b` hashes the key with BLAKE2b, whose own key is the first 64 bytes of the salt",
  edits: [
    {
      path: signer,
      from: '        elif self.key_derivation == "none":\n',
      to: '        elif self.key_derivation == "blake2b":\n            return hashlib.blake2b(secret_key, key=self.salt[:64]).digest()\n        elif self.key_derivation == "none":\n',
    },
  ],
  test: test(
    "blake",
    "from itsdangerous import Signer",
    '    signer = Signer("key", key_derivation="blake2b")\n    assert len(signer.derive_key()) == 64\n    assert signer.unsign(signer.sign("a")) == b"a"\n    with pytest.raises(TypeError):\n        Signer("key", key_derivation="blake3").derive_key()\n',
  ),
};
const keyed: Feature = {
  id: "keyed",
  title: "Add an algorithm that signs with keyed BLAKE2",
  asks: "`signer.KeyedAlgorithm` is a SigningAlgorithm that signs with keyed BLAKE2b, at most 64 bytes of the key",
  edits: [
    {
      path: signer,
      from: "def _lazy_sha1(",
      to: 'class KeyedAlgorithm(SigningAlgorithm):\n    """Signs with keyed BLAKE2b."""\n\n    def get_signature(self, key: bytes, value: bytes) -> bytes:\n        return hashlib.blake2b(value, key=key[:64]).digest()\n\n\ndef _lazy_sha1(',
    },
  ],
  test: test(
    "keyed",
    "from itsdangerous import BadSignature\nfrom itsdangerous import Signer\nfrom itsdangerous.signer import KeyedAlgorithm",
    '    signer = Signer("key", algorithm=KeyedAlgorithm())\n    assert signer.unsign(signer.sign("a")) == b"a"\n    with pytest.raises(BadSignature):\n        signer.unsign(b"b" + signer.sign("a"))\n',
  ),
};
const split: Feature = {
  id: "split",
  title: "Take a signed value apart without checking it",
  asks: "`Signer.split` returns value and signature of a signed value as bytes, and raises BadSignature without a separator",
  edits: [
    {
      path: signer,
      from: "    def validate(self, signed_value: str | bytes) -> bool:\n",
      to: '    def split(self, signed_value: str | bytes) -> tuple[bytes, bytes]:\n        """Value and signature, neither of them checked."""\n        value, sep, sig = want_bytes(signed_value).rpartition(self.sep)\n\n        if not sep:\n            raise BadSignature(f"No {self.sep!r} found in value")\n\n        return value, sig\n\n    def validate(self, signed_value: str | bytes) -> bool:\n',
    },
  ],
  test: test(
    "split",
    "from itsdangerous import BadSignature\nfrom itsdangerous import Signer",
    '    assert Signer("key").split("a.b.c") == (b"a.b", b"c")\n    with pytest.raises(BadSignature):\n        Signer("key").split("abc")\n',
  ),
};

const encodedLength: Feature = {
  id: "encoded-length",
  title: "Say how long an encoded text becomes",
  asks: "`encoding.base64_length(size)`: how many characters `base64_encode` makes of so many bytes; ValueError below 0",
  edits: [
    {
      path: "src/itsdangerous/encoding.py",
      from: "def base64_decode(",
      to: 'def base64_length(size: int) -> int:\n    """How many characters ``base64_encode`` makes of ``size`` bytes."""\n    if size < 0:\n        raise ValueError("A size is not negative.")\n\n    return (size * 4 + 2) // 3\n\n\ndef base64_decode(',
    },
  ],
  test: test(
    "encoded_length",
    "from itsdangerous.encoding import base64_encode\nfrom itsdangerous.encoding import base64_length",
    '    for size in range(9):\n        assert base64_length(size) == len(base64_encode(b"x" * size))\n    with pytest.raises(ValueError):\n        base64_length(-1)\n',
  ),
};
const described: Feature = {
  id: "described",
  title: "Describe an error as data",
  asks: "`BadData.describe()` returns a dict with `error`, the name of the class, and `message`",
  edits: [
    {
      path: "src/itsdangerous/exc.py",
      from: "    def __str__(self) -> str:\n        return self.message\n",
      to: '    def __str__(self) -> str:\n        return self.message\n\n    def describe(self) -> dict[str, str]:\n        """Its name and message, for logs and replies."""\n        return {"error": type(self).__name__, "message": self.message}\n',
    },
  ],
  test: test(
    "described",
    "from itsdangerous import BadSignature\nfrom itsdangerous import Signer",
    '    with pytest.raises(BadSignature) as caught:\n        Signer("key").unsign("a.b")\n    assert caught.value.describe()["error"] == "BadSignature"\n',
  ),
};
const compressAbove: Feature = {
  id: "compress-above",
  title: "Leave small payloads uncompressed",
  asks: "`URLSafeSerializerMixin.compress_above`, 0 by default: payloads up to this many bytes are not compressed",
  edits: [
    {
      path: "src/itsdangerous/url_safe.py",
      from: "    default_serializer: _PDataSerializer[str] = _CompactJSON\n",
      to: "    default_serializer: _PDataSerializer[str] = _CompactJSON\n\n    #: Payloads up to this many bytes are not compressed.\n    compress_above: int = 0\n",
    },
    {
      path: "src/itsdangerous/url_safe.py",
      from: "        if len(compressed) < (len(json) - 1):\n",
      to: "        is_large = len(json) > self.compress_above\n\n        if is_large and len(compressed) < (len(json) - 1):\n",
    },
  ],
  test: test(
    "compress_above",
    "from itsdangerous import BadSignature\nfrom itsdangerous import URLSafeSerializer",
    '    serializer = URLSafeSerializer("key")\n    assert serializer.dumps("a" * 90).startswith(".")\n    serializer.compress_above = 100\n    text = serializer.dumps("a" * 90)\n    assert not text.startswith(".")\n    assert serializer.loads(text) == "a" * 90\n    with pytest.raises(BadSignature):\n        serializer.loads(text + "x")\n',
  ),
};

const keysFile: Feature = {
  id: "keys-file",
  title: "Move the list of keys to a module of its own",
  asks: "`_make_keys_list` is in `_keys.py`; `signer.py` imports it from there",
  edits: [
    {
      path: signer,
      from: "from .encoding import _base64_alphabet\n",
      to: "from ._keys import _make_keys_list as _make_keys_list\nfrom .encoding import _base64_alphabet\n",
    },
  ],
  move: {
    path: signer,
    from: "def _make_keys_list(",
    until: "class Signer:",
    into: "src/itsdangerous/_keys.py",
    head: "from __future__ import annotations\n\nimport collections.abc as cabc\n\nfrom .encoding import want_bytes\n\n\n",
    tail: "\n",
  },
  test: test(
    "keys_file",
    "from itsdangerous import _keys\nfrom itsdangerous import signer",
    '    assert signer._make_keys_list is _keys._make_keys_list\n    assert _keys._make_keys_list("a") == [b"a"]\n    with pytest.raises(TypeError):\n        _keys._make_keys_list(1)  # type: ignore[arg-type]\n',
  ),
};

export const itsdangerous: TeamProject = {
  ...real,
  files: {
    ...real.files,
    ".hox/config.toml": '[backpressure]\nfast_checks = ["python -m pytest -q"]\nslow_checks = []\n',
  },
  testOne: (path) => `PYTHONPATH=src .venv/bin/python -m pytest -q ${path}`,
  testAll: "PYTHONPATH=src .venv/bin/python -m pytest -q -rf",
  prepare: 'ln -s "$ROOT/.venv" .venv',
  sets: [
    { name: "apart", meets: "other files", features: [blake, encodedLength, described, compressAbove] },
    { name: "places", meets: "one file, other places", features: [emptyKeys, blake, keyed, split] },
    { name: "lines", meets: "the same lines", features: [maxLength, forbidden, onSign, normalize] },
    {
      name: "moved",
      meets: "a moved block that others edit",
      features: [keysFile, emptyKeys, byteArrays, blake],
    },
  ],
};
