package names

import (
	"strings"
	"testing"

	"perfdeck/session"
	"perfdeck/tui/canvas"
)

func TestCounter(t *testing.T) {
	for _, c := range []struct {
		name, set string
		w         int
		want      string
	}{
		{"Avg. Disk sec/Transfer", "PhysicalDisk", 30, "Avg. Disk sec/Transfer"},
		{"Avg. Disk sec/Transfer", "PhysicalDisk", 20, "Avg. sec/Transfer"},
		{"Avg. Disk sec/Transfer", "PhysicalDisk", 14, "Avg. sec/Xfer"},
		{"% Processor Time", "System", 12, "% Proc Time"},
		{"Processor Time", "Processor", 4, "Proc Time"}, // never empty
	} {
		if got := Counter(c.name, c.set, c.w); got != c.want {
			t.Errorf("%s of %s in %d cells: %q, want %q", c.name, c.set, c.w, got, c.want)
		}
	}
}

func TestInstance(t *testing.T) {
	for _, c := range []struct {
		in           session.Instance
		want, beside string
	}{
		{session.Instance{Key: session.InstanceKey{Name: "sshd"}}, "sshd", "sshd"},
		{session.Instance{Key: session.InstanceKey{Name: "sshd"}, Number: 42, Index: 3}, "sshd #42", "sshd"},
		{session.Instance{Key: session.InstanceKey{Name: "sshd"}, Index: 3}, "sshd#3", "sshd#3"},
		{session.Instance{Key: session.InstanceKey{Name: "0", Parent: "explorer"}, Index: 1}, "explorer/0#1", "explorer/0#1"},
	} {
		if got, beside := Instance(&c.in), Beside(&c.in); got != c.want || beside != c.beside {
			t.Errorf("%+v is called %q and %q, want %q and %q", c.in, got, beside, c.want, c.beside)
		}
	}
}

func TestCommon(t *testing.T) {
	for _, c := range []struct {
		names []string
		want  string
	}{
		{nil, ""},
		{[]string{"kworker/0:1"}, ""},
		{[]string{"a b", "a b"}, ""},
		{[]string{"Intel Ethernet 1", "Intel Ethernet 2"}, "Intel Ethernet "},
		{[]string{"abc1", "abc2"}, ""}, // no word ends there
		{[]string{"/usr/lib/a", "/usr/bin/b", "/usr/x"}, "/usr/"},
		{[]string{"/usr/lib/a", "other"}, ""},
		{[]string{"HarddiskVolume (1)", "HarddiskVolume (2)", "HarddiskVolume (12)"}, "HarddiskVolume ("},
		{[]string{"網カード 一", "網カード 二"}, "網カード "},
	} {
		var list Common
		for _, n := range c.names {
			list.Add(n)
		}
		if got := list.Prefix(); got != c.want {
			t.Errorf("%q have %q in common, want %q", c.names, got, c.want)
		}
	}
}

// At every width a name fits; where they fit without their common beginning,
// different names stay different.
func TestCutSwept(t *testing.T) {
	list := []string{
		"Intel[R] Ethernet Controller X710 for 10GbE SFP+", "Intel[R] Ethernet Controller X710 for 10GbE SFP+ _2",
		"Intel[R] Ethernet Controller X710 for 10GbE SFP+ _3", "Intel[R] Wi-Fi", "Intel[R] 網カード",
	}
	var common Common
	longest := 0
	for _, n := range list {
		common.Add(n)
	}
	prefix := common.Prefix()
	if prefix != "Intel[R] " {
		t.Fatalf("in common: %q", prefix)
	}
	for _, n := range list {
		longest = max(longest, canvas.Full.TextWidth(n)-len(prefix))
	}
	for _, set := range []canvas.GlyphSet{canvas.Full, canvas.ASCII} {
		r := canvas.New(1, 1, set).Root()
		for w := range 70 {
			seen := map[string]string{}
			for _, n := range list {
				got := Cut(r, w, n, prefix)
				if set.TextWidth(got) > max(w, 0) && w >= 4 {
					t.Errorf("%d cells: %q", w, got)
				}
				if set.TextWidth(n) <= w && got != n {
					t.Errorf("%d cells: %q though there is room for %q", w, got, n)
				}
				if other, taken := seen[got]; taken && w > longest+len(r.Glyphs().Ellipsis) {
					t.Errorf("%d cells: %q and %q are both %q", w, n, other, got)
				}
				seen[got] = n
			}
		}
		if got := Cut(r, 12, "Intel[R] Wi-Fi", prefix); !strings.HasSuffix(got, "Wi-Fi") {
			t.Errorf("12 cells: %q", got)
		}
	}
}
