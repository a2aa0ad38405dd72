package textfile

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"perfdeck/cooker"
)

func TestWrittenNumbers(t *testing.T) {
	for _, c := range []struct {
		f    float64
		want string
	}{
		{0, "0"}, {4112, "4112"}, {88.359340674585567, "88.359340674585567"}, {0.1, "0.10000000000000001"},
		{-2.5, "-2.5"}, {1e-5, "1.0000000000000001e-005"}, {0.0001, "0.0001"}, {1e17, "100000000000000000"},
		{123456789012345678, "123456789012345680"}, {1e20, "1e+020"}, {-1.5e300, "-1.5000000000000001e+300"},
		{1 << 60, "1152921504606847000"}, {-(1 << 60), "-1152921504606847000"}, {99999999999999991611392, "9.9999999999999992e+022"},
		{1e19, "10000000000000000000"}, {9007199254740993, "9007199254740992"}, {0.00031650766913719891, "0.00031650766913719893"},
	} {
		if got := string(AppendNumber(nil, c.f)); got != c.want {
			t.Errorf("%g: %s, want %s", c.f, got, c.want)
		}
	}
}

func TestReadNumbers(t *testing.T) {
	for text, want := range map[string]cooker.Value{
		"0": cooker.WholeValue(0), "18446744073709551615": cooker.WholeValue(math.MaxUint64),
		"18446744073709552000": cooker.FloatValue(1 << 64), "-1": cooker.DeltaValue(-1),
		"-9223372036854775808": cooker.FloatValue(-1 << 63), "9007199254740993": cooker.WholeValue(9007199254740993),
		"1.": cooker.FloatValue(1), ".5": cooker.FloatValue(.5), "+2.50": cooker.FloatValue(2.5), "1e-005": cooker.FloatValue(1e-5),
		"0.00000000000000000000000000000012345": cooker.FloatValue(1.2345e-31), "123456789012345678901234567890": cooker.FloatValue(123456789012345678901234567890),
		"00000000000000000000000000012.5": cooker.FloatValue(12.5), "9999999.999999999999": cooker.FloatValue(1e7), "1E3": cooker.FloatValue(1000), "-0": cooker.FloatValue(0),
	} {
		got, end, ok := ScanNumber([]byte(text+`"`), 0, '.')
		if f, _ := got.Float(); text == "-0" && f == 0 {
			continue
		}
		if !ok || end != len(text) || got != want {
			t.Errorf("%s: %v, %d, %t; want %v", text, got, end, ok, want)
		}
	}
	for _, text := range []string{"", "-", ".", "x", "1e999", "e5", "-.e1"} {
		if v, end, ok := ScanNumber([]byte(text), 0, '.'); ok && end == len(text) {
			t.Errorf("%q was read as %v", text, v)
		}
	}
	if v, _, ok := ScanNumber([]byte("12,5"), 0, ','); !ok || v != cooker.FloatValue(12.5) {
		t.Errorf("a decimal comma: %v", v)
	}
	if v, _, ok := ScanNumber([]byte("12,5e3"), 0, ','); !ok || v != cooker.FloatValue(12500) {
		t.Errorf("a decimal comma: %v", v)
	}
}

// checkNumber holds a text against strconv, and what is written of it too.
func checkNumber(t *testing.T, text string) {
	t.Helper()
	want, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(want) || math.IsInf(want, 0) {
		return
	}
	v, end, ok := ScanNumber([]byte(text), 0, '.')
	got, _ := v.Float()
	if !ok || end != len(text) || got != want {
		t.Fatalf("%s: %v (%t), strconv says %v", text, got, ok, want)
	}
	if back, err := strconv.ParseFloat(string(AppendNumber(nil, want)), 64); err != nil || back != want {
		t.Fatalf("%v is written %s", want, AppendNumber(nil, want))
	}
}

// TestNumbersAgree compares with strconv, near the middle between two float64
// too.
func TestNumbersAgree(t *testing.T) {
	source := rand.New(rand.NewPCG(7, 7))
	for range 50_000 {
		n, behind := source.Uint64()>>source.IntN(64), source.IntN(28)
		checkNumber(t, fmt.Sprintf("%d.%0*d", n%1000, behind, source.Uint64N(uint64(math.Pow10(min(behind, 18))))))
		checkNumber(t, strconv.FormatFloat(math.Float64frombits(n<<2|1<<61), 'f', behind, 64))
		f := math.Ldexp(float64(source.Uint64N(1<<53)), -source.IntN(70))
		checkNumber(t, strconv.FormatFloat(f, 'f', -1, 64))
		checkNumber(t, strconv.FormatFloat(f, 'g', 17, 64))
	}
	for n := uint64(1<<53) - 3; n < 1<<53+9; n++ {
		checkNumber(t, fmt.Sprint(n, ".5"))
		checkNumber(t, fmt.Sprint(n*1000, ".0"))
	}
}

func FuzzNumbers(f *testing.F) {
	for _, s := range []string{"0.1", "-1e-300", "18446744073709551615", "9007199254740993.0", "1.7976931348623157e+308"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, end, ok := ScanNumber([]byte(text), 0, '.')
		if !ok {
			return
		}
		want, err := strconv.ParseFloat(text[:end], 64)
		if got, _ := v.Float(); err != nil || got != want {
			t.Errorf("%q: %v, strconv says %v (%v)", text[:end], v, want, err)
		}
	})
}
