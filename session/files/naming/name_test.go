package naming

import (
	"errors"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

var faultWords = map[NameFault]string{
	BadLetter: "ERROR LETTER", BadRun: "ERROR RUN", BadEscape: "ERROR ESCAPE", NoPattern: "ERROR CONFLICT",
	BadParts: "ERROR BITS", EmptyName: "ERROR EMPTY", BadName: "ERROR NAME",
}

// TestNamingVectors holds every row of vectors/naming.tsv.
func TestNamingVectors(t *testing.T) {
	rows := 0
	data, err := os.ReadFile("testdata/naming.tsv")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimRight(string(data), "\n"), "\n")
	for _, line := range lines[1:] {
		f := strings.Split(strings.TrimSuffix(line, "\r"), "\t")
		if len(f) != 11 {
			t.Fatalf("%d cells: %q", len(f), line)
		}
		parts, err := strconv.ParseUint(f[3], 0, 16)
		if err != nil {
			t.Fatal(err)
		}
		offset, _ := strconv.Atoi(f[6])
		at, err := time.ParseInLocation("2006-01-02 15:04:05", f[5], time.FixedZone("", offset*60))
		if err != nil {
			t.Fatal(err)
		}
		serial, _ := strconv.ParseUint(f[7], 10, 32)
		m := Values{at, uint32(serial), f[8]}
		n := Name{Base: f[2], Parts: Parts(parts), Pattern: f[4], Extension: f[9]}
		var got string
		switch f[1] {
		case "pattern":
			got, err = FormatPattern(n.Pattern, m)
		case "file":
			got, err = n.File(m)
		case "folder":
			got, err = n.Folder(m)
		default:
			t.Fatalf("kind %q", f[1])
		}
		if e, ok := errors.AsType[*NameError](err); ok {
			got = faultWords[e.Fault]
		}
		if got != f[10] {
			t.Errorf("row %s: %q (%v), want %q", f[0], got, err, f[10])
		}
		rows++
	}
	if rows < 121 {
		t.Errorf("only %d rows", rows)
	}
}

func TestNames(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 5, 6, 0, time.UTC)
	for _, c := range []struct {
		name Name
		m    Values
		want string
	}{
		{Name{Base: "night", Extension: ".db"}, Values{}, "night.db"},
		{Name{Base: "night", Parts: PartComputer, Extension: ".db"}, Values{Computer: "[fe80::1]:445"}, "[fe80--1]-445_night.db"},
		{Name{Base: "night", Parts: PartComputer, Extension: ".db"}, Values{Computer: "../../x"}, "..-..-x_night.db"},
		{Name{Base: "night", Parts: PartComputer, Extension: ".db"}, Values{}, "night.db"},
		{Name{Parts: PartPattern, Pattern: `yyyyMMdd\-HHmmss`, Extension: ".db"}, Values{}, "20260301-120506.db"},
		{Name{Base: "night.DB", Extension: ".db"}, Values{}, "night.db"},
		{Name{Base: strings.Repeat("x", 252), Extension: ".db"}, Values{}, strings.Repeat("x", 252) + ".db"},
	} {
		c.m.Time = at
		if got, err := c.name.File(c.m); err != nil || got != c.want {
			t.Errorf("%+v: %q (%v), want %q", c.name, got, err, c.want)
		}
	}
	for _, base := range []string{strings.Repeat("x", 253), "lpt1", "COM¹", "COM0", "con", "a\x00b", "nul.tar"} {
		if got, err := (Name{Base: base, Extension: ".db"}).File(Values{Time: at}); err == nil {
			t.Errorf("%q is taken for the name %q", base, got)
		}
	}
}

func TestHasSerial(t *testing.T) {
	for pattern, want := range map[string]bool{"yyyyMMdd": false, `yyyy\NN`: true, `\N`: false, "N": true, "Q": false} {
		if got := (Name{Parts: PartPattern, Pattern: pattern}).HasSerial(); got != want {
			t.Errorf("%s: %v", pattern, got)
		}
	}
	if !(Name{Parts: PartSerialNumber}).HasSerial() || (Name{Pattern: "N"}).HasSerial() {
		t.Error("parts do not count")
	}
}

func TestParseParts(t *testing.T) {
	if p, ok := ParseParts("Computer, serial,MMddHHmm"); !ok || p != PartComputer|PartSerialNumber|PartMonthDayHourMinute {
		t.Errorf("%#x %v", p, ok)
	}
	for _, text := range []string{"", "computer,", "mmddhh", "pattern"} {
		if p, ok := ParseParts(text); ok {
			t.Errorf("%q is taken for %#x", text, p)
		}
	}
	for _, name := range PartNames() {
		if _, ok := ParseParts(name); !ok {
			t.Errorf("%s is not read", name)
		}
	}
}

// FuzzName: whatever the pattern, the name is one that every system allows.
func FuzzName(f *testing.F) {
	f.Add("Disk", `\_yyyyMMdd\-NNNNNN`, "WEB01", uint16(0x7F03), int64(1e9), uint32(7))
	f.Add("", `MMMM d, yyyy \a\t h\.mmTt zz`, "a:b", uint16(1), int64(-1e9), uint32(0))
	f.Fuzz(func(t *testing.T, base, pattern, computer string, parts uint16, unix int64, serial uint32) {
		if len(pattern) > 1000 {
			return
		}
		n := Name{Base: base, Pattern: pattern, Parts: Parts(parts), Extension: ".csv"}
		name, err := n.File(Values{time.Unix(unix%(1<<40), 0).UTC(), serial, computer})
		if err != nil {
			return
		}
		if name == "" || strings.ContainsAny(name, "/\\\x00") || !strings.HasSuffix(name, ".csv") || utf8.RuneCountInString(name) > mostUnits {
			t.Errorf("%q", name)
		}
	})
}
