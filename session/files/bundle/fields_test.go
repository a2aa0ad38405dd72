package bundle

import (
	"reflect"
	"regexp"
	"slices"
	"testing"

	"perfdeck/cooker"
	"perfdeck/session/alert"
	"perfdeck/session/files/note"
	"perfdeck/session/files/screenlog"
)

// plant writes into every text of a value where it stands.
func plant(v reflect.Value, path string) {
	switch v.Kind() {
	case reflect.String:
		if v.CanSet() {
			v.SetString("S3cr-" + path + "-")
		}
	case reflect.Slice:
		if v.CanSet() {
			v.Set(reflect.MakeSlice(v.Type(), 1, 1))
			plant(v.Index(0), path)
		}
	case reflect.Pointer:
		if v.CanSet() {
			v.Set(reflect.New(v.Type().Elem()))
			plant(v.Elem(), path)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() {
				plant(v.Field(i), path+"."+f.Name)
			}
		}
	default:
	}
}

var secretForm = regexp.MustCompile(`S3cr-([A-Za-z.]+)-`)

// found are the places of what was planted that a bundle holds anywhere.
func found(t *testing.T, file string) (out []string) {
	t.Helper()
	for _, f := range members(t, file) {
		for _, m := range secretForm.FindAllSubmatch(f.text, -1) {
			if place := string(m[1]); !slices.Contains(out, place) {
				out = append(out, place)
			}
		}
	}
	slices.Sort(out)
	return out
}

// A bundle has the fields of this list and no other text of decks, rules, events, the log
// and notes: a field that is new stays out until somebody writes it into its form.
func TestFieldsOfABundle(t *testing.T) {
	var b Extras
	plant(reflect.ValueOf(&b).Elem(), "")
	r := rule(t, `\Memory(S3cr-.Rules.When-)\x>3`)
	b.Rules[0].When, b.Rules[0].Kind, b.Rules[0].Severity = r.When, alert.Threshold, alert.Warning
	b.Rules[0].Quiet, b.Rules[0].Events = nil, alert.Count{}
	counts := alert.Rule{Name: "counts", Kind: alert.EventCount, Events: alert.Count{Log: "S3cr-.Rules.Events.Log-", Source: "S3cr-.Rules.Events.Source-", ID: "S3cr-.Rules.Events.ID-"}}
	b.Rules = append(b.Rules, counts)
	b.Rules[0].Need, b.Rules[0].Of, b.Rules[0].Clear, b.Rules[0].Aggregate = 1, 1, nil, new(cooker.AggregateTotal)
	b.Rules[0].Actions = []alert.Action{{Do: alert.Webhook, Name: "S3cr-.Rules.Actions-"}}
	b.Rules[0].OnClear = []alert.Action{{Do: alert.Task, Name: "S3cr-.Rules.OnClear-"}}
	b.Decks[0].Panes[0].Or = []string{`\A(S3cr-.Decks.Panes.Or-)\B`}
	b.Decks[0].Panes[0].Paths, b.Decks[0].Panes[0].Also = []string{`\A(S3cr-.Decks.Panes.Paths-)\B`}, []string{`\A(S3cr-.Decks.Panes.Also-)\B`}
	b.Events[0].Time, b.Log[0].Time, b.Log[0].Level = start, start, screenlog.Levels[0]
	b.Events[0].Rule.When = r.When
	b.Events[0].Path = `\\h\A(S3cr-.Events.Path-)\B`
	n, err := note.New(start, "S3cr-.Notes.Text-", "S3cr-.Notes.By-")
	if err != nil {
		t.Fatal(err)
	}
	b.Notes = []note.Note{n}
	// The instance of an event is that of its path.
	want := []string{
		".Decks.Name", ".Decks.Panes.Also", ".Decks.Panes.Host", ".Decks.Panes.Or", ".Decks.Panes.Paths",
		".Events.By", ".Events.Held", ".Events.ID.Counter", ".Events.ID.Host", ".Events.ID.Name", ".Events.ID.Parent", ".Events.ID.Rule", ".Events.ID.Set",
		".Events.Path", ".Events.Peak", ".Events.Shown", ".Events.ShownLimit", ".Events.Why",
		".Log.Host", ".Log.Text", ".Notes.By", ".Notes.Text",
		".Rules.Events.ID", ".Rules.Events.Log", ".Rules.Events.Source", ".Rules.Except", ".Rules.Hosts", ".Rules.Name", ".Rules.Next", ".Rules.When", ".Rules.Why",
	}
	file, m := pack(t, []Recording{{Title: "night", Reader: night(t, "night", "web01")}}, b, Options{})
	if got := found(t, file); !slices.Equal(got, want) {
		t.Errorf("a bundle holds\n%v, want\n%v; %v", got, want, m.Left)
	}
	if file, _ := pack(t, []Recording{{Title: "night", Reader: night(t, "night", "web01")}}, b, Options{Anonymous: true}); len(found(t, file)) > 0 {
		t.Errorf("an anonymous one holds %v", found(t, file))
	}
	if got := unpack(t, file); got.Damaged != 0 || len(got.Rules) != 2 || len(got.Decks) != 1 {
		t.Errorf("%d damaged, %+v", got.Damaged, got.Extras)
	}
}

// What a secret looks like is cut out of texts, and the rest stays.
func TestSecretsAreCut(t *testing.T) {
	c := newCleaner([]string{"/usr/local/bin/page --to ops", "CORP\\svc-perf", "abc"})
	for text, want := range map[string]string{
		"webhook ops: POST https://hooks.example.com/T0/B0/xyz: 500":  "webhook ops: POST https://… 500",
		"ran /usr/local/bin/page --to ops: exit 1":                    "ran …: exit 1",
		"logged on as CORP\\svc-perf":                                 "logged on as …",
		"ssh://ana:pw@web01 is lost":                                  "ssh://…web01 is lost",
		`token=abc123 and "password": "x y" and pwd: hunter2`:         `token=… and "password": … and pwd: …`,
		"Authorization: Bearer abcdefghijk":                           "Authorization: … …",
		"curl --token s3cret x":                                       "curl --token … x",
		"ghp_0123456789abcdefghij and AKIAIOSFODNN7EXAMPLE":           "… and …",
		"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIx.sig":                       "…",
		"key Zm9vYmFyYmF6cXV4MTIzNDU2Nzg5":                            "key …",
		"abc of the deploy 4.2: spinning 30 ms, passed":               "abc of the deploy 4.2: spinning 30 ms, passed",
		`\\web01\Processor Information(_Total)\% Processor Time > 90`: `\\web01\Processor Information(_Total)\% Processor Time > 90`,
	} {
		if got := c.clean(text); got != want {
			t.Errorf("%q is\n%q, want\n%q", text, got, want)
		}
	}
}
