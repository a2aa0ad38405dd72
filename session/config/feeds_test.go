package config

import (
	"errors"
	"strings"
	"testing"
	"time"
)

func TestFeeds(t *testing.T) {
	c, warnings, err := Parse("f", []byte(`
[[feed]]
name = "queue"
manifests = ["~/queue.man"]
command = ["queue-stats"]
keep = "1m"
[feed.metrics]
jobs = '\Queue({q})\Jobs/sec'
[[feed]]
name = "node"
manifests = ["/node.man"]
url = "http://localhost:9100/metrics"
`))
	if err != nil || len(warnings) != 0 || len(c.Feeds) != 2 {
		t.Fatalf("%+v, %v, %v", c, warnings, err)
	}
	if f := c.Feeds[0]; f.Name != "queue" || f.Command[0] != "queue-stats" || f.Keep != time.Minute || f.Metrics["jobs"].Instance != "{q}" {
		t.Errorf("%+v", f)
	}
	if f := c.Feeds[1]; f.URL == "" || f.Keep != 0 || f.Command != nil {
		t.Errorf("%+v", f)
	}
}

func TestWrongFeeds(t *testing.T) {
	const good = "[[feed]]\nname = \"a\"\nmanifests = [\"/a.man\"]\n"
	for text, want := range map[string]string{
		good:                                                 "feed[1].command",
		good + "file = \"a\"":                                "feed[1].file",
		good + "file = \"/a\"\nsocket = \"/b\"":              "feed[1].socket",
		good + "url = \"http://example.com/\"":               "feed[1].url",
		good + "url = \"https://localhost/\"":                "feed[1].url",
		good + "command = [\"./a\"]":                         "feed[1].command",
		good + "file = \"/a\"\nkeep = \"1ms\"":               "feed[1].keep",
		good + "file = \"/a\"\nmetrics = {a=\"b\"}":          "feed[1].metrics.a",
		good + "file = \"/a\"\n" + good + "file = \"/a\"":    "feed[2].name",
		"[[feed]]\nname = \"a\"\nfile = \"/a\"":              "feed[1].manifests",
		"[[feed]]\nmanifests = [\"/a.man\"]\nfile = \"/a\"":  "feed[1].name",
		"[[feed]]\nname=\"a\"\nmanifests=\"a\"\nfile=\"/a\"": "feed[1].manifests",
	} {
		_, _, err := Parse("f", []byte(text))
		var e *FileError
		if !errors.As(err, &e) || e.Key != want {
			t.Errorf("%s\n%v, not about %s", text, err, want)
		}
	}
	distrust := &InsecureError{"config.toml", "everybody may write it", "chmod go-w config.toml"}
	if _, _, err := parse("f", []byte(good+`command = ["a"]`), distrust, false); err == nil || !strings.Contains(err.Error(), "everybody may write it") {
		t.Errorf("a program of a file that others may write: %v", err)
	}
}
