package config

import (
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"
)

func TestRecords(t *testing.T) {
	c, warnings, err := Parse("f", []byte(`
[[record]]
name = "incident"
paths = ['\Memory\*', '\Process(*)\% Processor Time']
file = "~/incident.db"
[[record]]
name = "night"
paths = ['\Memory\*']
hosts = ["web01", "tcp://web02:14500"]
file = "/var/log/night.csv"
interval = 15
segment_time = "1h"
segment_size = "100MB"
segment_samples = 60
samples = 5000
ring = "1.5 GiB"
duration = "8h"
per_host = true
follow_instances = true
events = true
always = true
parts = "computer"
pattern = '\_yyyy'
[[alert]]
when = '\Memory\Available MBytes < 200'
then = ["record:Incident"]
cleared = ["stop-record:incident"]
`))
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	want := []Record{
		{Name: "incident", Paths: []string{`\Memory\*`, `\Process(*)\% Processor Time`}, File: "~/incident.db"},
		{
			Name: "night", Paths: []string{`\Memory\*`}, Hosts: []string{"web01", "tcp://web02:14500"}, File: "/var/log/night.csv",
			Interval: 15 * time.Second, SegmentTime: time.Hour, SegmentSize: 100 << 20, Ring: 3 << 29, Duration: 8 * time.Hour, SegmentRows: 60, Samples: 5000,
			PerHost: true, Follow: true, Events: true, Always: true, Parts: "computer", Pattern: `\_yyyy`,
		},
	}
	if !reflect.DeepEqual(c.Records, want) {
		t.Errorf("%+v, want %+v", c.Records, want)
	}
	if r, ok := c.Record("NIGHT"); !ok || r.Name != "night" {
		t.Errorf("night is not found: %+v", r)
	}
	if _, ok := c.Record("day"); ok {
		t.Error("a recording is found that is not there")
	}
}

func TestWrongRecords(t *testing.T) {
	const whole = "[[record]]\nname = \"a\"\npaths = ['\\Memory\\*']\nfile = \"/a.db\"\n"
	for text, key := range map[string]string{
		"[[record]]\npaths = ['\\Memory\\*']\nfile = \"/a.db\"\n":              "record[1].name",
		strings.Replace(whole, `\Memory`, `Memory`, 1):                         "record[1].paths",
		strings.Replace(whole, "/a.db", "a.db", 1):                             "record[1].file",
		whole + "ring = \"many\"\n":                                            "record[1].ring",
		whole + "ring = 0\n":                                                   "record[1].ring",
		whole + "hosts = [\"a b\"]\n":                                          "record[1].hosts",
		whole + whole:                                                          "record[2].name",
		"[[alert]]\nwhen = '\\Memory\\X > 1'\nthen = [\"record:b\"]\n" + whole: "alert[1].then",
	} {
		_, _, err := Parse("f", []byte(text))
		if e, ok := errors.AsType[*FileError](err); !ok || e.Key != key || e.Line == 0 {
			t.Errorf("%q: %v, want an error of %s", text, err, key)
		}
	}
}
