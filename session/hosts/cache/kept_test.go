package cache

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"perfdeck/cooker"
	"perfdeck/session"
)

func memory() *session.Counterset {
	return &session.Counterset{V1Index: 4, Name: "Memory", Label: "Speicher", Protocol: "MS-RRP",
		Counters: []session.Counter{{ID: 24, Name: "Available Bytes", Type: cooker.CounterLargeRawCount, Companions: session.Companions{BaseID: session.NoID}}}}
}

func loaded(t *testing.T, f File) *session.Catalogue {
	t.Helper()
	cat, err := f.Load()
	if err != nil {
		t.Error(err)
	}
	return cat
}

func TestFileRoundTrip(t *testing.T) {
	f := File{Dir: filepath.Join(t.TempDir(), "new"), Kind: "hkpd", Host: "web01", LCID: 7}
	if loaded(t, f) != nil {
		t.Fatal("something is there")
	}
	cat := &session.Catalogue{Host: "web01", Sets: []*session.Counterset{memory()}, Names: map[uint32]string{4: "Memory"}}
	f.Save(cat)
	if got := loaded(t, f); !reflect.DeepEqual(got, cat) {
		t.Errorf("%+v", got)
	}
	info, err := os.Stat(f.Path())
	if err != nil || os.PathSeparator == '/' && info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
	for _, other := range []File{{f.Dir, "pcq", f.Host, f.LCID}, {f.Dir, f.Kind, "web02", f.LCID}, {f.Dir, f.Kind, f.Host, 9}} {
		if loaded(t, other) != nil {
			t.Errorf("%+v has what %+v kept", other, f)
		}
	}
	same := File{f.Dir, f.Kind, "WEB01", f.LCID}
	if loaded(t, same) == nil {
		t.Error("the host's name in capitals is another host")
	}
	left, _ := filepath.Glob(filepath.Join(f.Dir, "*.tmp"))
	f.Remove()
	if loaded(t, f) != nil || len(left) != 0 {
		t.Error("left behind", left)
	}
	nowhere := File{Kind: "hkpd", Host: "web01"}
	nowhere.Save(cat)
	nowhere.Remove()
	if loaded(t, nowhere) != nil {
		t.Error("kept nowhere, and there")
	}
}

func TestUselessTexts(t *testing.T) {
	f := File{Host: "web01"}
	sound := `{"host":"WEB01","lcid":0,"sets":[{"Name":"A"}]}`
	if f.Parse([]byte(sound)) == nil {
		t.Fatal("a sound text is refused")
	}
	for _, change := range [][2]string{
		{"WEB01", "web02"}, {`"lcid":0`, `"lcid":9`}, {`"sets":[{`, `"sets":[null,{`},
		{`"Name":"A"`, `"Name":""`}, {"}]}", "}"}, {`"sets"`, `"Other"`},
	} {
		text := strings.Replace(sound, change[0], change[1], 1)
		if text == sound || f.Parse([]byte(text)) != nil {
			t.Errorf("taken: %s", text)
		}
	}
}

func TestShared(t *testing.T) {
	var s Shared
	first := memory()
	other := memory()
	other.Counters[0].Label = "Verfügbar"
	guid := memory()
	guid.GUID = "{1}"
	if s.One(first) != first || s.One(memory()) != first || s.One(other) != other || s.One(guid) != guid {
		t.Error("same and other sets are mixed up")
	}
	for i := range 2 * maxVariants {
		set := memory()
		set.Description = strings.Repeat("x", i+1)
		s.One(set)
	}
	if n := len(s.sets["Memory"]); n != maxVariants {
		t.Errorf("%d variants", n)
	}
	var none *Shared
	if set := memory(); none.One(set) != set {
		t.Error("nil shares")
	}
}
