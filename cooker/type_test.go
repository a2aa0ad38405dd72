package cooker

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"perfdeck/session/system/sharedtest"
)

// Every counter type name of the three specifications has a row.
func TestNamesOfSpecifications(t *testing.T) {
	for _, c := range []struct {
		file, pattern string
		least         int
	}{
		{"specs/ms-pcq-2.2.4.2-counter-reg-info.txt", `(PERF_\w+)\n\n0[xX]`, 34},
		{"specs/nt-counter-types.txt", `(?m)^(PERF_\w+) \| PERF_SIZE`, 23},
		{"specs/counter-manifest-schema.txt", `<xs:enumeration value="(perf_\w+)"/>`, 38},
	} {
		text := sharedtest.Read(t, c.file)
		matches := regexp.MustCompile(c.pattern).FindAllStringSubmatch(text, -1)
		if len(matches) < c.least {
			t.Errorf("%s: %d names found, at least %d expected", c.file, len(matches), c.least)
		}
		for _, match := range matches {
			if _, ok := LookupType(match[1]); !ok {
				t.Errorf("%s: no row for %s", c.file, match[1])
			}
		}
	}
}

// Codes of MS-PCQ are those of the table.
func TestCodesOfSpecification(t *testing.T) {
	text := sharedtest.Read(t, "specs/ms-pcq-2.2.4.2-counter-reg-info.txt")
	for _, match := range regexp.MustCompile(`(PERF_\w+)\n\n(0[xX]\w+)\n`).FindAllStringSubmatch(text, -1) {
		byName, _ := LookupType(match[1])
		byCode, ok := LookupType(match[2])
		if !ok || byName != byCode || byCode.String() != match[1] {
			t.Errorf("%s %s: found %v 0x%08X", match[1], match[2], byName, uint32(byName))
		}
	}
}

// The names of the manifest schema, so that they are held without the shared
// files too.
func TestManifestNames(t *testing.T) {
	names := 0
	for _, info := range Types() {
		if info.ManifestName == "" || info.Type == LargeRawBaseWMI {
			continue
		}
		names++
		if got, ok := LookupType(info.ManifestName); !ok || got != info.Type {
			t.Errorf("%s finds %v", info.ManifestName, got)
		}
	}
	if names != 38 {
		t.Errorf("%d manifest names, the schema has 38", names)
	}
}

func TestTable(t *testing.T) {
	if !slices.IsSortedFunc(rules[:], func(a, b rule) int { return int(int64(a.Type) - int64(b.Type)) }) {
		t.Error("the table is not in order of code")
	}
	for _, info := range Types() {
		for _, name := range []string{info.Name, strings.TrimPrefix(info.Name, "PERF_"), strings.ToLower(info.Name)} {
			got, ok := LookupType(name)
			if !ok || got != info.Type && info.Type != LargeRawBaseWMI {
				t.Errorf("LookupType(%s) = %v, %v", name, got, ok)
			}
		}
		found, ok := info.Type.Info()
		if !ok || found.Type != info.Type {
			t.Errorf("%s is not found by its code", info.Name)
		}
		old, now := Reading{Raw: 5, Base: 5}, Reading{Raw: 9, Base: 9}
		from, to := Clocks{PerfTime: 1, PerfFreqHz: 1, Time100ns: 1, ObjTime: 1, ObjFreqHz: 1}, Clocks{PerfTime: 9, PerfFreqHz: 1, Time100ns: 9, ObjTime: 9, ObjFreqHz: 1}
		if v := Cook(info.Type, &old, &now, &from, &to, nil); info.Samples > 0 && info.Type != CounterComposite && v.Status() == Unsupported {
			t.Errorf("%s has a rule, and is not cooked by it", info.Name)
		}
		if info.Source == "" || info.Meaning == "" {
			t.Errorf("%s has no source or meaning", info.Name)
		}
		if info.Type == CounterComposite || info.Type == AverageBulk || info.Type == SampleCounter {
			continue // AVERAGE_BULK is shown against its display bits
		}
		if want := suffixes[info.Type.Fields().Display]; info.Suffix != want {
			t.Errorf("%s: suffix %q, its bits say %q", info.Name, info.Suffix, want)
		}
	}
}

// The companions that MS-PCQ 2.2.4.2 lists, and what is not one.
func TestAcceptsBase(t *testing.T) {
	for _, c := range []struct {
		t, base CounterType
		want    bool
	}{
		{AverageTimer, AverageBase, true},
		{AverageBulk, AverageBase, true},
		{LargeRawFraction, LargeRawBase, true},
		{LargeRawFraction, LargeRawBaseWMI, true},
		{PrecisionSystemTimer, LargeRawBase, true},
		{Precision100nsTimer, PrecisionTimestamp, true},
		{RawFraction, RawBase, true},
		{SampleFraction, SampleBase, true},
		{CounterMultiTimer, CounterRawCount, true},
		{CounterMultiTimer, CounterMultiBase, true},
		{AverageTimer, CounterRawCount, false},
		{AverageTimer, 0x7F030500, false},
		{CounterCounter, RawBase, false},
		{0x12345678, RawBase, false},
	} {
		if got := c.t.AcceptsBase(c.base); got != c.want {
			t.Errorf("%v accepts %v: %v", c.t, c.base, got)
		}
	}
}

func TestLookupTypeByCode(t *testing.T) {
	for text, want := range map[string]CounterType{
		"0x10410500": CounterBulkCount, "272696576": CounterBulkCount, " 0X30020400 ": AverageTimer,
		"0": CounterRawCountHex, "0065536": CounterRawCount, "0x12345678": 0x12345678, "4294967295": CounterComposite,
	} {
		if got, ok := LookupType(text); !ok || got != want {
			t.Errorf("LookupType(%q) = %v, %v", text, got, ok)
		}
	}
	for _, text := range []string{"", "PERF_", "PERF_NOTHING", "-1", "0x", "0x-1", "0b1", "1_0", "0x1FFFFFFFF", "99999999999"} {
		if got, ok := LookupType(text); ok {
			t.Errorf("LookupType(%q) = %v", text, got)
		}
	}
}

func TestFieldWords(t *testing.T) {
	for code, want := range map[CounterType]string{
		CounterBulkCount:     "LARGE COUNTER RATE TICK DELTA /sec",
		CounterText:          "VARIABLE TEXT UNICODE no suffix",
		SampleFraction:       "DWORD COUNTER FRACTION DELTA DELTA_BASE %",
		CounterDelta:         "DWORD COUNTER VALUE DELTA no suffix",
		0x00120400:           "DWORD COUNTER FRACTION 100NS no suffix",
		AverageBase:          "DWORD COUNTER BASE not shown mark 2",
		MultiTimer100nsInv:   "LARGE COUNTER RATE 100NS DELTA INVERSE MULTI %",
		ElapsedTime:          "LARGE COUNTER ELAPSED OBJECT secs",
		0x00012000:           "DWORD NUMBER DECIMAL no suffix reserved 0x00002000",
		0xF03F0C00 ^ 0xA0000: "DWORD ZERO subtype 5 display 15",
	} {
		if got := strings.Join(code.Fields().Words(), " "); got != want {
			t.Errorf("0x%08X: %s, want %s", uint32(code), got, want)
		}
	}
}

func TestUnknownCodeIsUnsupported(t *testing.T) {
	for _, code := range []CounterType{0x12345678, 0x00012000, 0x40010000, 0x10410600, 0x00020100 | 0x00400000, CounterComposite} {
		v := Cook(code, &Reading{Raw: 1}, &Reading{Raw: 2}, &Clocks{}, &Clocks{PerfTime: 1}, nil)
		if v != Absent(Unsupported) {
			t.Errorf("%v: %v", code, v.Status())
		}
		info, ok := code.Info()
		if ok != (code == CounterComposite) || info.Name == "" {
			t.Errorf("%v: info %+v, %v", code, info, ok)
		}
	}
}

// Codes without a name are cooked where their bits say how (NT Resource Kit,
// table 12.3); the data decides on the size.
func TestByBits(t *testing.T) {
	large := func(raw uint64) *Reading { return &Reading{Raw: raw, Size: 8} }
	for code, c := range map[CounterType]struct {
		formula string
		want    string
	}{
		0x00000C00: {"0", "0"},                            // TYPE_ZERO
		0x00020000: {"N1 / 1000", "5.5"},                  // NUMBER_DEC_1000
		0x00020100: {"N1 / 1000", "5.5"},                  // LARGE
		0x20010000: {"N1", "5500"},                        // RAWCOUNT with %
		0x00000400: {"N1", "5500"},                        // VALUE without DELTA
		0x10400500: {"N1 - N0", "500"},                    // VALUE with DELTA and /sec
		0x20510400: {"(N1 - N0) / (T1 - T0) * 100", "50"}, // 100NSEC_TIMER of DWORD
		0x20410400: {"(N1 - N0) / (T1 - T0) * 100", "50"}, // COUNTER_TIMER of DWORD
		0x00010B00: {"text", ""},                          // TEXT_ASCII
	} {
		v := Cook(code, large(5000), large(5500), &Clocks{}, &Clocks{PerfTime: 1000, Time100ns: 1000}, nil)
		info, known := code.Info()
		if got := string(AppendMachine(nil, v)); known || got != c.want || info.Formula != c.formula {
			t.Errorf("%v: %q %v by %q, want %q by %q", code, got, v.Status(), info.Formula, c.want, c.formula)
		}
	}
	if CounterType(0x40030502).Displayable() { // AVERAGE_BASE, LARGE
		t.Error("a base of another size is shown")
	}
}

func FuzzType(f *testing.F) {
	f.Add("PERF_100NSEC_TIMER", uint32(0x20510500))
	f.Add("0x00012000", uint32(0xFFFFFFFF))
	f.Fuzz(func(t *testing.T, text string, code uint32) {
		LookupType(text)
		c := CounterType(code)
		info, known := c.Info()
		if known != c.Known() || info.Type != c || len(c.Fields().Words()) < 4 {
			t.Errorf("0x%08X: %+v", code, info)
		}
		if !known && c.String() != info.Name {
			t.Errorf("%s is not %s", c, info.Name)
		}
	})
}
