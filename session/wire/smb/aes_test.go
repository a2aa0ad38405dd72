package smb

import (
	"bytes"
	"crypto/aes"
	"encoding/hex"
	"testing"
)

func fromHex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The vectors of RFC 4493 4.
func TestCMAC(t *testing.T) {
	block, err := aes.NewCipher(fromHex(t, "2b7e151628aed2a6abf7158809cf4f3c"))
	if err != nil {
		t.Fatal(err)
	}
	text := fromHex(t, "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e5130c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710")
	m := newCMAC(block)
	for n, want := range map[int]string{
		0:  "bb1d6929e95937287fa37d129b756746",
		16: "070a16b46b4d4144f79bdd9dd04a287c",
		40: "dfa66747de9ae63030ca32611497c827",
		64: "51f0bebf7e3b9d92fc49741779363cfe",
	} {
		if sum := m.sum(text[:n]); !bytes.Equal(sum[:], fromHex(t, want)) {
			t.Errorf("of %d bytes: %x", n, sum)
		}
	}
}

// count is the bytes from first on.
func count(first byte, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = first + byte(i)
	}
	return b
}

// What another implementation (PyCryptodome) seals is opened, and sealed alike.
func TestCCM(t *testing.T) {
	block, err := aes.NewCipher(count(0, 16))
	if err != nil {
		t.Fatal(err)
	}
	c, _ := newCCM(block)
	nonce, aad, text := count(0x10, 11), count(0x20, 32), count(0x40, 37)
	want := fromHex(t, "0c2e3f9884f817ecc645a3286e2ed0e171398a0a1b882cb8b219dc58c1a58cb569ab16d92760b32d89075b951d3fa6f343c4776310")
	if got := c.Seal(nil, nonce, text, aad); !bytes.Equal(got, want) {
		t.Errorf("sealed %x", got)
	}
	if got, err := c.Open(nil, nonce, want, aad); err != nil || !bytes.Equal(got, text) {
		t.Errorf("opened %x, %v", got, err)
	}
	for i := range want {
		changed := bytes.Clone(want)
		changed[i] ^= 1
		if got, err := c.Open(nil, nonce, changed, aad); err == nil {
			t.Errorf("byte %d changed: %x", i, got)
		}
	}
	for n := range c.Overhead() {
		if _, err := c.Open(nil, nonce, want[:n], aad); err == nil {
			t.Errorf("%d bytes are opened", n)
		}
	}
	for n := range 3 * blockSize {
		text := count(1, n)
		sealed := c.Seal([]byte("before"), nonce, text, nil)
		got, err := c.Open([]byte("before"), nonce, sealed[6:], nil)
		if err != nil || !bytes.Equal(got[6:], text) {
			t.Errorf("%d bytes: %x, %v", n, got, err)
		}
	}
}
