package config

import (
	"strings"
	"testing"
	"time"

	"perfdeck/cooker"
)

func TestMerge(t *testing.T) {
	layer := func(words ...string) (l Layer) {
		for i := 0; i < len(words); i += 2 {
			if err := l.Set(words[i], words[i+1]); err != nil {
				t.Fatal(err)
			}
		}
		return l
	}
	flags := layer("interval", "2s", "mouse", "false")
	env := layer("interval", "3s", "theme", "env", "numbers.grouping", "")
	file := layer("interval", "4s", "theme", "file", "history", "1h", "mouse", "true", "numbers.grouping", "'")
	got := Merge(flags, env, file)
	want := Merge()
	want.Interval, want.Theme, want.History, want.Mouse, want.Grouping = 2*time.Second, "env", time.Hour, false, ""
	if got != want {
		t.Errorf("merged %+v, want %+v", got, want)
	}
	defaults := Settings{
		Interval: time.Second, History: 10 * time.Minute, HistoryMemory: 1 << 20, Theme: "default", Color: true, Mouse: true, KeepRecording: true,
		Grouping: ",", Units: cooker.UnitWindows,
	}
	if Merge() != defaults || Merge(Layer{}, Layer{}) != defaults {
		t.Errorf("defaults %+v, want %+v", Merge(), defaults)
	}
}

func TestEnvironment(t *testing.T) {
	for _, c := range []struct {
		environ []string
		change  func(s *Settings)
		wrong   string // the variable that is
	}{
		{nil, func(*Settings) {}, ""},
		{[]string{"PATH=/bin", "odd", "PERFDECK_THEME=", "NO_COLOR="}, func(*Settings) {}, ""},
		{[]string{"NO_COLOR=yes"}, func(s *Settings) { s.Color = false }, ""},
		{[]string{"NO_COLOR=1", "PERFDECK_COLOR=true"}, func(*Settings) {}, ""},
		{[]string{"PERFDECK_INTERVAL=2", "PERFDECK_UNITS=si", "PERFDECK_ASCII=1", "PERFDECK_SCALED_VALUES=true"}, func(s *Settings) {
			s.Interval, s.Units, s.ASCII, s.ScaledValues = 2*time.Second, cooker.UnitSI, true, true
		}, ""},
		{[]string{"PERFDECK_THEME=true"}, func(s *Settings) { s.Theme = "true" }, ""},
		{[]string{"PERFDECK_THEME=a", "PERFDECK_THEME=b"}, func(s *Settings) { s.Theme = "b" }, ""},
		{[]string{"PERFDECK_INTERVAL=soon"}, nil, "PERFDECK_INTERVAL"},
		{[]string{"PERFDECK_MOUSE=maybe"}, nil, "PERFDECK_MOUSE"},
	} {
		l, err := Environment(c.environ)
		if c.wrong != "" {
			if err == nil || !strings.HasPrefix(err.Error(), "set "+c.wrong+": ") {
				t.Errorf("%q: error %v", c.environ, err)
			}
			continue
		}
		want := Merge()
		c.change(&want)
		if got := Merge(l); err != nil || got != want {
			t.Errorf("%q: %+v, %v, want %+v", c.environ, got, err, want)
		}
	}
}

func TestSet(t *testing.T) {
	var l Layer
	for key, text := range map[string]string{"interval": "500ms", "background": "dark", "color": "false", "numbers.grouping": ""} {
		if err := l.Set(key, text); err != nil {
			t.Error(err)
		}
	}
	got := Merge(l)
	if got.Interval != 500*time.Millisecond || got.Background != BackgroundDark || got.Color || got.Grouping != "" {
		t.Errorf("set %+v", got)
	}
	for key, text := range map[string]string{"intervals": "1", "renderer": "", "color": "", "history": "0", "": ""} {
		if err := l.Set(key, text); err == nil || !strings.HasPrefix(err.Error(), "set "+key+": ") {
			t.Errorf("set %q to %q: %v", key, text, err)
		}
	}
	if Merge(l) != got {
		t.Error("a wrong value had an effect")
	}
}

// What a user asks for of a counter stands above what the counter asks for.
func TestOverride(t *testing.T) {
	bytes := cooker.Quantity{Kind: cooker.Bytes}
	for _, test := range []struct {
		override   Override
		attributes cooker.Attributes
		want       string
	}{
		{Override{}, 0, "12.1 KB"},
		{Override{}, cooker.NoGrouping, "12345 B"},
		{Override{Digits: new(2), Units: new(cooker.UnitPlain)}, 0, "12,345.00"},
		{Override{Units: new(cooker.UnitSI)}, cooker.NoGrouping, "12.3 kB"},
		{Override{Units: new(cooker.UnitSI)}, cooker.DisplayReal, "12.3 kB"},
		{Override{Digits: new(1)}, cooker.DisplayReal, "12,345.0 B"},
		{Override{Units: new(cooker.UnitSI), Digits: new(1)}, cooker.DisplayHex, "0x00003039"},
	} {
		f := cooker.FormatOf(cooker.CounterRawCount, bytes, test.attributes)
		f.Style, f.Grouping = cooker.UnitWindows, ","
		if got := string(cooker.AppendValue(nil, cooker.WholeValue(12345), test.override.Apply(f))); got != test.want {
			t.Errorf("%+v of %v: %q, want %q", test.override, test.attributes.Names(), got, test.want)
		}
	}
}
