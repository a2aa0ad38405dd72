package eventtext_test

import (
	"testing"

	"perfdeck/session/text/eventtext"
)

func TestSentence(t *testing.T) {
	for _, c := range []struct {
		key   string
		names []string
		want  string
	}{
		{"memory-killer", []string{"java"}, "java was killed: memory ran out"},
		{"memory-killer", []string{"java", "shop.service"}, "java was killed: memory ran out in shop.service"},
		{"unit-failed", []string{"{2}", "exit-code"}, "service {2} failed: exit-code"},
		{"disk-reset", nil, "disk  was reset"},
		{"nothing", []string{"x"}, ""},
	} {
		if got := eventtext.Sentence(c.key, c.names); got != c.want {
			t.Errorf("%s %q: %q, want %q", c.key, c.names, got, c.want)
		}
	}
	if !eventtext.IsFinding("bad-block") || eventtext.IsFinding("boot") || !eventtext.Is("gap") {
		t.Error("kinds of keys")
	}
}
