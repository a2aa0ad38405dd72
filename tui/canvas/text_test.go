package canvas

import (
	"math/rand/v2"
	"testing"

	"perfdeck/themes"
)

// What is cut and then drawn is what Left and Middle draw.
func TestCutIsWhatIsDrawn(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	runes := []rune("abcdefgh  広本é\u0301…")
	for range 5000 {
		var text []rune
		for range random.IntN(30) {
			text = append(text, runes[random.IntN(len(runes))])
		}
		w := random.IntN(24)
		set := []GlyphSet{Full, Console, ASCII}[random.IntN(3)]
		st := themes.Text
		for _, isMiddle := range []bool{false, true} {
			want, got := New(40, 1, set), New(40, 1, set)
			if isMiddle {
				want.Root().Middle(2, 0, w, string(text), st)
				got.Root().Text(2, 0, got.Root().CutMiddle(w, string(text)), st)
			} else {
				want.Root().Left(2, 0, w, string(text), st)
				got.Root().Text(2, 0, got.Root().CutEnd(w, string(text)), st)
			}
			if want.String() != got.String() {
				t.Fatalf("%q in %d cells: %q, want %q", string(text), w, got.String(), want.String())
			}
		}
	}
}
