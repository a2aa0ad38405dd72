package alert_test

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"perfdeck/session/alert"
	"perfdeck/session/text/field"
)

// full is a rule of which each field says something; some do not go together.
func full(t testing.TB) alert.Rule {
	r := parsed(t, `\PhysicalDisk(*)\Avg. Disk sec/Transfer>0.025`)
	rows := alert.Fields()
	for i := range rows {
		f := &rows[i]
		if f.Set == nil || f.Name == "when" || f.Sample == "" {
			continue
		}
		if err := f.Set(&r, f.Example()); err != nil {
			t.Fatalf("the sample of %s: %v", f.Name, err)
		}
	}
	r.Disabled, r.Origin, r.After = true, "config", 45*time.Second
	return r
}

func parsed(t testing.TB, when string) alert.Rule {
	r, err := alert.ParseRule(when)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Every field of a rule is in the table, and a form, JSON and the table give back what they got.
func TestFieldsOfRule(t *testing.T) {
	r := full(t)
	for of, i := reflect.ValueOf(r), 0; i < of.NumField(); i++ {
		if name := of.Type().Field(i).Name; of.Field(i).IsZero() && name != "Kind" {
			t.Errorf("no field of the table is %s", name)
		}
	}
	rows := alert.Fields()
	form := rows.Form(&r)
	if form[0].Name != "when" || form[1].Name != "name" {
		t.Errorf("the form begins with %s, %s", form[0].Name, form[1].Name)
	}
	if said := rows.Answered(form, valuesOf(form)); len(said) > 0 {
		t.Errorf("nothing was changed: %v", said)
	}
	blank, again := slices.Clone(form), alert.Rule{Origin: r.Origin}
	for i := range blank {
		blank[i].Value = "\x00" // all is said anew
	}
	if err := rows.Apply(&again, rows.Answered(blank, valuesOf(form))); err != nil {
		t.Fatal(err)
	}
	same(t, r, again)
	r.Grows, r.Value, r.Where = 0, nil, nil // a trend does not go with it
	text, err := json.Marshal(r)
	if err == nil {
		again = alert.Rule{}
		err = json.Unmarshal(text, &again)
	}
	if err != nil {
		t.Fatal(err)
	}
	same(t, r, again)
}

// The JSON of rules is read by versions before and after.
func TestRuleJSON(t *testing.T) {
	r := full(t)
	r.Trend, r.Grows = 0, 0
	const want = `{"name":"slow disk","when":"\\PhysicalDisk(*)\\Avg. Disk sec/Transfer>0.025","severity":"critical","interval":"15s","need":5,"of":6,"clear":0.015,` +
		`"after":"45s","cooldown":"10m0s","quiet":["22:00-06:00","sun,sat 00:00-24:00"],"hosts":["sql*"],"except":["D:"],"totals":true,` +
		`"value":"{Disk Read Bytes/sec} / {Disk Bytes/sec}","where":"{Disk Transfers/sec} > 10","aggregate":"average","then":["bell","webhook:ops","task:page"],"cleared":["webhook:ops"],` +
		`"text":"see the runbook, page 12","why":"Above 25 ms users wait.","next":["Who writes to it?"],"disabled":true,"origin":"config"}`
	if got, err := r.MarshalJSON(); err != nil || string(got) != want {
		t.Errorf("%v\n%s\nwant\n%s", err, got, want)
	}
	for _, text := range []string{
		`{}`, `5`, `{"when":"\\A\\B>5","name":"x"}`, `{"when":"\\A\\B>5","name":5,"severity":"warning"}`, `{"when":"\\A\\B>5","name":"x","severity":"worse"}`,
		`{"when":"\\A\\B>5","name":"x","severity":"warning","then":["explode"]}`, `{"when":"\\A\\B>5","name":"x","severity":"warning","hosts":[5]}`,
		`{"when":"\\A\\B>5","name":"x","severity":"warning","need":2,"of":1}`, `{"when":"\\A\\B>5","name":"x","severity":"warning","interval":"1ms"}`,
	} {
		var r alert.Rule
		if err := json.Unmarshal([]byte(text), &r); err == nil {
			t.Errorf("%s is read as %+v", text, r)
		}
	}
}

// What cannot be is refused by the name of its field, and without a panic.
func TestWrongFields(t *testing.T) {
	rows := alert.Fields()
	wrong := map[string][]string{
		"when": {"", "x"}, "severity": {"", "worse"}, "interval": {"x", "0.5", "8d"}, "for": {"0", "x", "3 of", "of 3", "7 of 6", "65 of 65", "1 of 2 of 3", "-1"},
		"clear": {"x", "nan", "inf"}, "grows": {"much", "NaN"}, "after": {"-5", "8d"}, "cooldown": {"x"}, "trend": {"1s"}, "quiet": {"always"}, "aggregate": {"none", "median"},
		"value": {"{A} +", "1"}, "where": {"("}, "then": {"explode", "task"}, "cleared": {"bell:x"},
	}
	for name, values := range wrong {
		for _, value := range values {
			err := rows.Apply(new(alert.Rule), field.Changes{name: {value}})
			if e, ok := errors.AsType[*field.Error](err); !ok || e.Field != name || strings.Contains(e.Why, "%") {
				t.Errorf("%s %q: %v", name, value, err)
			}
		}
	}
	var r alert.Rule
	if err := rows.Apply(&r, field.Changes{"interval": {"Once"}}); err != nil || r.Interval != alert.Once {
		t.Errorf("once is %v, %v", r.Interval, err)
	}
}

func FuzzFields(f *testing.F) {
	for _, text := range []string{"1 min 30 s", "5 of 6", "sat 00:00-24:00;", "bell, task:x", "9e9d", "{A} / 2"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		rows := alert.Fields()
		form := rows.Form(new(alert.Rule))
		for _, line := range form {
			r := alert.Rule{Name: "x"}
			said := rows.Answered(form, field.Answers{line.Name: text})
			if rows.Apply(&r, said) != nil || len(said) == 0 || line.Name == "when" || line.Choices != nil {
				continue
			}
			again := alert.Rule{Name: "x"}
			if err := rows.Apply(&again, field.Changes{line.Name: valueOf(rows, line.Name, &r)}); err != nil {
				t.Fatalf("%s %q: %v", line.Name, text, err)
			}
			same(t, r, again)
		}
	})
}

func valueOf(rows field.Rows[*alert.Rule], name string, r *alert.Rule) field.Values {
	i := slices.IndexFunc(rows, func(f field.Field[*alert.Rule]) bool { return f.Name == name })
	return rows[i].Values(r)
}

func valuesOf(form []field.Line) field.Answers {
	out := field.Answers{}
	for _, line := range form {
		out[line.Name] = line.Value
	}
	return out
}

func same(t testing.TB, want, got alert.Rule) {
	t.Helper()
	a, _ := want.MarshalJSON()
	b, _ := got.MarshalJSON()
	if string(a) != string(b) {
		t.Errorf("%s\nwant\n%s", b, a)
	}
}
