package pcq

import "testing"

func TestLCIDOfALocale(t *testing.T) {
	for locale, want := range map[string]uint32{
		"de_DE.UTF-8": 0x407, "de-AT": 0x407, "en_GB": 0x809, "pt_BR.utf8": 0x416, "pt-PT": 0x816, "fr": 0x40C,
		"sr_RS@latin": 0, "zh_TW.Big5": 0x404, "nb_NO.UTF-8@x": 0x414, "C": 0, "C.UTF-8": 0, "POSIX": 0, "": 0,
	} {
		if got, ok := LCIDOf(locale); got != want || ok != (want != 0) {
			t.Errorf("%q: 0x%X %t, want 0x%X", locale, got, ok, want)
		}
	}
}
