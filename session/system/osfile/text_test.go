package osfile

import (
	"testing"
	"unicode/utf16"
)

// The same text is read in every encoding.
func TestText(t *testing.T) {
	const text = "\\Büro(*)\\Größe\r\n"
	units := func(high int) (out []byte) {
		for _, u := range utf16.Encode([]rune("\uFEFF" + text)) {
			pair := []byte{byte(u), byte(u >> 8)}
			out = append(out, pair[high], pair[1-high])
		}
		return out
	}
	for encoding, data := range map[string][]byte{
		"UTF-8": []byte(text), "UTF-8 with mark": []byte("\uFEFF" + text), "UTF-16LE": units(0), "UTF-16BE": units(1),
	} {
		if got := Text(data); got != text {
			t.Errorf("%s: %q", encoding, got)
		}
	}
}

func FuzzText(f *testing.F) {
	f.Add([]byte("\xFF\xFE\x5C\x00"))
	f.Add([]byte("\xFE\xFF\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if got := Text(data); len(got) > 3*len(data)+3 {
			t.Errorf("%d bytes became %d", len(data), len(got))
		}
	})
}
