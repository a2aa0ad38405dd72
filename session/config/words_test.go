package config

import (
	"errors"
	"testing"

	"perfdeck/session/text/words"
)

// Words of the user come before those of the sheet; what is no counter is a fault of its line.
func TestWords(t *testing.T) {
	c, _, err := Parse("f", []byte("[words]\n'Slow  Mail' = ['\\SMTP Server(*)\\Local Queue Length']\nlatency = ['\\Memory\\Pages/sec']\n"))
	if err != nil {
		t.Fatal(err)
	}
	if got := c.Words.Answers("slow mail"); len(got) != 1 || got[0] != (words.Counter{Set: "SMTP Server", Name: "Local Queue Length"}) {
		t.Errorf("slow mail is %v", got)
	}
	if got := c.Words.Answers("LATENCY"); len(got) < 2 || got[0].Name != "Pages/sec" || len(got) != 1+len(words.Book(nil).Answers("latency")) {
		t.Errorf("latency is %v", got)
	}
	for text, line := range map[string]int{
		"[words]\na = 'x'\n":                2,
		"[words]\na = []\n":                 2,
		"[words]\na = ['no path']\n":        2,
		"[words]\na = ['\\\\h\\Memory\\x']": 2,
		"[words]\n' ' = ['\\Memory\\x']\n":  2,
	} {
		_, _, err := Parse("f", []byte(text))
		if file, ok := errors.AsType[*FileError](err); !ok || file.Line != line {
			t.Errorf("%q: %v", text, err)
		}
	}
}
