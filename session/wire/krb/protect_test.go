package krb

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"github.com/oiweiwei/gokrb5.fork/v9/iana/etypeID"
	"github.com/oiweiwei/gokrb5.fork/v9/types"
)

// ends are the two ends of a context with a known key.
func ends(t testing.TB, kind int32, acceptor bool) (client, host *Context) {
	t.Helper()
	size := map[int32]int{etypeID.AES128_CTS_HMAC_SHA1_96: 16, etypeID.AES256_CTS_HMAC_SHA1_96: 32}[kind]
	client = &Context{key: types.EncryptionKey{KeyType: kind, KeyValue: bytes.Repeat([]byte{7}, size)}, acceptor: acceptor}
	var err error
	if client.out, client.in, err = client.directions(1000, 2000); err != nil {
		t.Fatal(err)
	}
	host = &Context{key: client.key}
	if host.in, host.out, err = client.directions(1000, 2000); err != nil {
		t.Fatal(err)
	}
	return client, host
}

// What one end seals the other opens, in order, and nothing else.
func TestSeal(t *testing.T) {
	for _, kind := range enctypes {
		for _, acceptor := range []bool{false, true} {
			client, host := ends(t, kind, acceptor)
			for n := range 70 {
				secret := bytes.Repeat([]byte{byte(n)}, n)
				before, text, after := []byte("before"), bytes.Clone(secret), []byte("after")
				signature, err := client.Seal(before, text, after)
				if err != nil || len(signature) != client.Overhead() {
					t.Fatal(len(signature), err)
				}
				if n >= 8 && bytes.Equal(text, secret) {
					t.Error("nothing was enciphered")
				}
				if err := host.Unseal(before, text, after, signature); err != nil || !bytes.Equal(text, secret) {
					t.Fatalf("%d bytes: %x, %v", n, text, err)
				}
				signature, err = host.Seal(nil, text, nil)
				if err == nil {
					err = client.Unseal(nil, text, nil, signature)
				}
				if err != nil || !bytes.Equal(text, secret) {
					t.Fatalf("%d bytes back: %x, %v", n, text, err)
				}
			}
		}
	}
}

// Every flipped bit is seen, and whatever is left out, repeated or sent back.
func TestForgedMessages(t *testing.T) {
	parts := [][]byte{[]byte("before"), bytes.Repeat([]byte{1}, 32), []byte("after"), nil}
	for part := range parts {
		for bit := range 8 * 76 {
			client, host := ends(t, etypeID.AES256_CTS_HMAC_SHA1_96, true)
			m := [][]byte{bytes.Clone(parts[0]), bytes.Clone(parts[1]), bytes.Clone(parts[2]), nil}
			var err error
			if m[3], err = client.Seal(m[0], m[1], m[2]); err != nil {
				t.Fatal(err)
			}
			if bit >= 8*len(m[part]) {
				break
			}
			m[part][bit/8] ^= 1 << (bit % 8)
			if err := host.Unseal(m[0], m[1], m[2], m[3]); !errors.Is(err, ErrForged) {
				t.Errorf("part %d, bit %d: %v", part, bit, err)
			}
		}
	}
	client, host := ends(t, etypeID.AES256_CTS_HMAC_SHA1_96, true)
	text := []byte("sixteen bytes!!!")
	signature, _ := client.Seal(nil, text, nil)
	if err := client.Unseal(nil, bytes.Clone(text), nil, bytes.Clone(signature)); !errors.Is(err, ErrForged) {
		t.Errorf("sent back: %v", err)
	}
	if err := host.Unseal(nil, bytes.Clone(text), nil, bytes.Clone(signature)); err != nil {
		t.Fatal(err)
	}
	if err := host.Unseal(nil, bytes.Clone(text), nil, bytes.Clone(signature)); !errors.Is(err, errOrder) {
		t.Errorf("repeated: %v", err)
	}
	for n := range len(signature) {
		if err := host.Unseal(nil, bytes.Clone(text), nil, bytes.Clone(signature[:n])); err == nil {
			t.Errorf("%d bytes of a signature are taken", n)
		}
	}
}

func TestSign(t *testing.T) {
	client, host := ends(t, etypeID.AES128_CTS_HMAC_SHA1_96, true)
	for range 3 {
		signature, err := client.Sign([]byte("message"))
		if err != nil {
			t.Fatal(err)
		}
		if err := host.Verify([]byte("message"), signature); err != nil {
			t.Error(err)
		}
		if err := host.Verify([]byte("message"), signature); !errors.Is(err, ErrForged) {
			t.Errorf("repeated: %v", err)
		}
		host.in.seq--
	}
	signature, _ := client.Sign([]byte("message"))
	for i := range signature {
		changed := bytes.Clone(signature)
		changed[i] ^= 1
		if err := host.Verify([]byte("message"), changed); !errors.Is(err, ErrForged) {
			t.Errorf("byte %d: %v", i, err)
		}
		host.in.seq--
	}
	if err := host.Verify([]byte("massage"), signature); !errors.Is(err, ErrForged) {
		t.Errorf("another message: %v", err)
	}
}

// FuzzUnseal hands an end anything for a message.
func FuzzUnseal(f *testing.F) {
	client, _ := ends(f, etypeID.AES256_CTS_HMAC_SHA1_96, true)
	text := []byte("sixteen bytes!!!")
	signature, _ := client.Seal(nil, text, nil)
	f.Add(text, signature)
	f.Fuzz(func(t *testing.T, text, signature []byte) {
		_, host := ends(t, etypeID.AES256_CTS_HMAC_SHA1_96, true)
		host.in.seq++ // so that the seed is old
		if host.Unseal(nil, bytes.Clone(text), nil, bytes.Clone(signature)) == nil {
			t.Fatal("a message without the key is taken")
		}
		if host.Verify(text, signature) == nil {
			t.Fatal("a signature without the key is taken")
		}
	})
}

func BenchmarkSeal(b *testing.B) {
	for _, size := range []int{64, 4096} {
		b.Run(fmt.Sprintf("bytes=%d", size), func(b *testing.B) {
			client, host := ends(b, etypeID.AES256_CTS_HMAC_SHA1_96, true)
			text := make([]byte, size)
			b.SetBytes(int64(size))
			b.ReportAllocs()
			for b.Loop() {
				signature, err := client.Seal(nil, text, nil)
				if err == nil {
					err = host.Unseal(nil, text, nil, signature)
				}
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
