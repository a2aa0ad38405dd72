package themes

import (
	"testing"
	"testing/fstest"
)

var ramps = []Ramp{RampA, RampB}

// The steps of the default theme in true colour are those of the pictures of the
// deck: eight between the three tokens, at the middles of eight cells.
func TestRampInTrueColour(t *testing.T) {
	sheet := mustLoad(t, Default).Sheet(TrueColour, true)
	for i, want := range []string{
		"59;132;190", "60;141;203", "61;150;215", "62;159;228", "76;173;237", "101;191;242",
	} {
		got := string(sheet.AppendChange(nil, Pen{}, Pen{fg: sheet.Pen(RampA.Step(i, 8)).fg}))
		if got != "\x1b[38;2;"+want+"m" {
			t.Errorf("step %d is %q, want %s", i, got, want)
		}
	}
}

// A ramp runs from its first colour to its last over any number of cells, and what
// is beyond it has the colour of its end.
func TestRampSteps(t *testing.T) {
	for _, r := range ramps {
		for n := 1; n < 40; n++ {
			last := r.Step(0, n)
			for i := range n {
				step := r.Step(i, n)
				if step < last || step > r.shade(RampSteps-1) {
					t.Fatalf("cell %d of %d has step %d after %d", i, n, step, last)
				}
				last = step
			}
			if n >= RampSteps && (r.Step(0, n) != r.shade(0) || last != r.shade(RampSteps-1)) {
				t.Errorf("%d cells do not show the whole ramp", n)
			}
		}
		if r.Step(-3, 8) != r.shade(0) || r.Step(9, 8) != r.shade(7) || r.At(1) != r.shade(7) || r.At(-1) != r.shade(0) || r.Step(3, 0) != r.shade(0) {
			t.Error("beyond the ramp is not its end")
		}
	}
}

// In every theme and profile: from low to high a ramp stands out more and more, in
// 256 colours it has three colours, in 16 that of its token, without colours none.
func TestRampsOfAllThemes(t *testing.T) {
	for _, name := range Names(nil) {
		theme := mustLoad(t, name)
		for _, side := range theme.sides() {
			for _, r := range ramps {
				knots := r.tokens()
				checkRise(t, name+" "+side.name, side.palette, knots)
				isDark := side.name == "dark"
				for profile, want := range map[Profile]int{TrueColour: RampSteps, Colours256: 3, Colours16: 1, NoColour: 1} {
					if side.palette[knots[0]].Own {
						want = 1
					}
					sheet := theme.Sheet(profile, isDark)
					pens := map[Pen]bool{}
					for step := range RampSteps {
						pens[sheet.Pen(r.shade(step))] = true
					}
					if len(pens) != want {
						t.Errorf("%s %s: ramp %d has %d colours in profile %d, want %d", name, side.name, r, len(pens), profile, want)
					}
					if plain := sheet.Pen(r.plain()); profile <= Colours16 && !pens[plain] {
						t.Errorf("%s %s: ramp %d is not %s", name, side.name, r, r.plain())
					}
				}
			}
		}
	}
}

func checkRise(t *testing.T, where string, p *Palette, knots [3]Token) {
	t.Helper()
	for i := 1; i < len(knots); i++ {
		for _, profile := range []Profile{TrueColour, Colours256} {
			low, isKnown := contrastOf(p[knots[i-1]], p[Background], profile)
			high, _ := contrastOf(p[knots[i]], p[Background], profile)
			if isKnown && high <= low {
				t.Errorf("%s: %s stands out less than %s in profile %d: %.1f and %.1f", where, knots[i], knots[i-1], profile, high, low)
			}
		}
	}
}

// A theme that knows nothing of ramps gets them from its own tokens, and what it
// gives of a ramp it keeps.
func TestThemesWithoutRamps(t *testing.T) {
	user := fstest.MapFS{
		"old.toml":  {Data: []byte("[dark]\nspark = \"#808000\"\nstrong = \"#f0f0f0\"\n")},
		"some.toml": {Data: []byte("[dark]\nspark = \"#808000 100 9\"\na2 = \"#123456\"\n")},
		"own.toml":  {Data: []byte("[dark]\nspark = \"5\"\nok = \"#00aa00\"\n")},
		"area.toml": {Data: []byte("[dark]\nheader = \"none\"\n")},
	}
	load := func(name string) *Palette {
		theme, err := Load(name, user)
		if err != nil {
			t.Fatal(err)
		}
		return &theme.Dark
	}
	base := mustLoad(t, Default).Dark
	old := load("old")
	if old[A1].RGB != old[Spark].RGB || old[A2].RGB != [3]uint8{0xb8, 0xb8, 0x78} || old[A3].RGB != old[Strong].RGB ||
		old[B1].RGB != old[OK].RGB || old[B3].RGB != old[Strong].RGB || old[A3].Word != old[Spark].Word {
		t.Errorf("%v %v %v, %v %v", old[A1], old[A2], old[A3], old[B1], old[B3])
	}
	if some := load("some"); some[A2].RGB != [3]uint8{0x12, 0x34, 0x56} || some[A2].Word != some[Spark].Word || some[A1].RGB != base[A1].RGB {
		t.Errorf("%v %v", some[A1], some[A2])
	}
	if own := load("own"); own[A1] != own[Spark] || own[A3] != own[Spark] {
		t.Errorf("%v %v", own[A1], own[A3])
	}
	if area := load("area"); area[A1] != base[A1] || area[B3] != base[B3] {
		t.Errorf("%v %v", area[A1], area[B3])
	}
}
