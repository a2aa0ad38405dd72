package config

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/system/failure"
)

// Settings are all settings that have one value.
type Settings struct {
	Interval time.Duration // between samples
	History  time.Duration // how much is kept of what is shown
	// HistoryMemory bounds, for each 10 min of History and each host, in bytes, what is kept of what
	// is shown no more.
	HistoryMemory int64
	Theme         string
	Background    Background
	ASCII         bool
	Color         bool
	Mouse         bool
	Renderer      Renderer
	LowBandwidth  bool // draw values seldom
	// KeepRecording: a recording of the screens goes on without them.
	KeepRecording bool
	Grouping      string // between groups of three digits; empty: nothing
	Units         cooker.UnitStyle
	ScaledValues  bool // numbers are shown times their default scale
}

// Background is which palette of the theme is taken.
type Background uint8

// The backgrounds.
const (
	BackgroundAuto Background = iota // the terminal is asked
	BackgroundDark
	BackgroundLight
)

// Renderer is who writes to the terminal.
type Renderer uint8

// The renderers.
const (
	RendererOwn Renderer = iota
	RendererBubbletea
)

// Layer is what one place says: the command line, the environment, the file. It puts the
// settings that the place has a word on, by their keys.
type Layer map[string]func(*Settings)

// Has tells whether the place says something of a setting.
func (l *Layer) Has(key string) bool { return (*l)[key] != nil }

func (l *Layer) put(key string, set func(*Settings)) {
	if *l == nil {
		*l = Layer{}
	}
	(*l)[key] = set
}

const numbersTable = "numbers"

// setting is a row of the table of settings.
type setting struct {
	key      string // with its table, as "numbers.units"
	standard any    // the default as the file would have it: string or bool
	set      func(l *Layer, v any) (expected, hint string, ok bool)
	decode   func(l *Layer, t table, name string)
}

// settings is every setting that has one value. A new one is a row here and a
// field of Settings.
var settings = []setting{
	row("interval", "1s", func(s *Settings) *time.Duration { return &s.Interval }, duration(session.MinInterval, maxInterval)),
	row("history", "10m", func(s *Settings) *time.Duration { return &s.History }, duration(minHistory, maxHistory)),
	row("history_memory", "1MB", func(s *Settings) *int64 { return &s.HistoryMemory }, size()),
	row("theme", "default", func(s *Settings) *string { return &s.Theme }, themeName()),
	row("background", "auto", func(s *Settings) *Background { return &s.Background }, oneOf[Background]("auto", "dark", "light")),
	row("ascii", false, func(s *Settings) *bool { return &s.ASCII }, yesNo()),
	row("color", true, func(s *Settings) *bool { return &s.Color }, yesNo()),
	row("mouse", true, func(s *Settings) *bool { return &s.Mouse }, yesNo()),
	row("renderer", "own", func(s *Settings) *Renderer { return &s.Renderer }, oneOf[Renderer]("own", "bubbletea")),
	row("low_bandwidth", false, func(s *Settings) *bool { return &s.LowBandwidth }, yesNo()),
	row("keep_recording", true, func(s *Settings) *bool { return &s.KeepRecording }, yesNo()),
	row("numbers.grouping", ",", func(s *Settings) *string { return &s.Grouping }, separator()),
	row("numbers.units", "windows", func(s *Settings) *cooker.UnitStyle { return &s.Units }, unitStyles()),
	row("numbers.scaled_values", false, func(s *Settings) *bool { return &s.ScaledValues }, yesNo()),
}

func row[T any](key string, standard any, field func(*Settings) *T, r reader[T]) setting {
	put := func(l *Layer, v T) { l.put(key, func(s *Settings) { *field(s) = v }) }
	return setting{
		key: key, standard: standard,
		set: func(l *Layer, v any) (expected, hint string, ok bool) {
			out, ok := r.read(v)
			if ok {
				put(l, out)
			}
			return r.expected, r.hint(v), ok
		},
		decode: func(l *Layer, t table, name string) {
			if v := optional(t, name, r); v != nil {
				put(l, *v)
			}
		},
	}
}

// split gives the table, empty for the root, and the key in it.
func (s setting) split() (table, key string) {
	table, key, nested := strings.Cut(s.key, ".")
	if !nested {
		return "", table
	}
	return table, key
}

// decodeSettings reads the settings of a file.
func decodeSettings(root table) Layer {
	var l Layer
	tables := map[string]table{"": root}
	if t, ok := root.table(numbersTable); ok {
		tables[numbersTable] = t
	}
	for _, s := range settings {
		in, key := s.split()
		if t, ok := tables[in]; ok {
			s.decode(&l, t, key)
		}
	}
	return l
}

// Set sets a setting, known by its key as "numbers.units", from the text of a
// flag or a variable.
func (l *Layer) Set(key, text string) error {
	i := slices.IndexFunc(settings, func(s setting) bool { return s.key == key })
	if i < 0 {
		return wrongValue(key, text, "a setting that exists", didYouMean(Nearest(key, allSettings())))
	}
	return settings[i].setText(l, key, text)
}

// setText sets the setting; name is who is to blame if it fails.
func (s setting) setText(l *Layer, name, text string) error {
	var v any = text
	if _, isBool := s.standard.(bool); isBool {
		if b, err := strconv.ParseBool(text); err == nil {
			v = b
		}
	}
	if expected, hint, ok := s.set(l, v); !ok {
		return wrongValue(name, text, expected, hint)
	}
	return nil
}

// wrongValue says what is wrong with a setting that is in no file: by its key, or its variable.
func wrongValue(name, text, wants, hint string) error {
	return failure.WithHint(fmt.Errorf("set %s: %s", name, expected("found "+show(text), wants)), hint)
}

func allSettings() []string {
	var keys []string
	for _, s := range settings {
		keys = append(keys, s.key)
	}
	return keys
}

// variable is the environment variable of a setting, as PERFDECK_UNITS of
// "numbers.units".
func (s setting) variable() string {
	_, key := s.split()
	return "PERFDECK_" + strings.ToUpper(key)
}

// Environment reads the settings of the environment, given as by os.Environ:
// PERFDECK_INTERVAL, PERFDECK_UNITS and so on for each key, and NO_COLOR
// (no-color.org). A variable that is empty says nothing.
func Environment(environ []string) (Layer, error) {
	values := make(map[string]string, len(environ))
	for _, e := range environ {
		if name, value, ok := strings.Cut(e, "="); ok {
			values[name] = value
		}
	}
	var l Layer
	if values["NO_COLOR"] != "" {
		l.put("color", func(s *Settings) { s.Color = false })
	}
	for _, s := range settings {
		name := s.variable()
		if values[name] == "" {
			continue
		}
		if err := s.setText(&l, name, values[name]); err != nil {
			return Layer{}, err
		}
	}
	return l, nil
}

// Merge settles every setting: the first layer that says something wins, and the default
// where none does. The order is flags, environment, file.
func Merge(layers ...Layer) (s Settings) {
	for _, l := range slices.Backward(append(slices.Clone(layers), defaults())) {
		for _, set := range l {
			set(&s)
		}
	}
	return s
}

// Over takes what a table of the config says where a command line has no word, which may be none at
// all: those fields whose tag names a flag. given tells which flags it has.
func Over[T any](said, named *T, given func(flag string) bool) {
	to, from := reflect.ValueOf(said).Elem(), reflect.ValueOf(named).Elem()
	for _, f := range reflect.VisibleFields(to.Type()) {
		if flag, v := f.Tag.Get("flag"), from.FieldByIndex(f.Index); flag != "" && !given(flag) && !v.IsZero() {
			to.FieldByIndex(f.Index).Set(v)
		}
	}
}

// DefaultInterval is the interval when nobody says another.
func DefaultInterval() time.Duration { return Merge().Interval }

// defaults is the layer below all others.
func defaults() Layer {
	var l Layer
	for _, s := range settings {
		s.set(&l, s.standard)
	}
	return l
}
