package config

import (
	"errors"
	"reflect"
	"strings"
	"testing"
)

func TestGroups(t *testing.T) {
	c, warnings, err := Parse("f", []byte("[groups]\nsql = ['sql01', 'tcp://sql02:1']\nfra = ['SQL01', '[::1]:445']\n"))
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	want := []Group{{"sql", []string{"sql01", "tcp://sql02:1"}}, {"fra", []string{"SQL01", "[::1]:445"}}}
	if !reflect.DeepEqual(c.Groups, want) {
		t.Errorf("groups %+v, want %+v: in the order of the file", c.Groups, want)
	}
	for names, want := range map[string][]string{
		"sql01":               {"sql", "fra"},
		"other tcp://SQL02:1": {"sql"},
		"web":                 nil,
	} {
		if got := c.GroupsOf(strings.Fields(names)...); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: groups %q, want %q", names, got, want)
		}
	}
	if g, ok := c.Group("FRA"); !ok || g.Name != "fra" {
		t.Errorf("group %+v", g)
	}
	if _, ok := c.Group("ber"); ok {
		t.Error("there is no such group")
	}
}

func TestWrongGroups(t *testing.T) {
	for text, line := range map[string]int{
		"groups = 1\n":                                          1,
		"[groups]\nfra = 'sql01'\n":                             2,
		"[groups]\nfra = []\n":                                  2,
		"[groups]\nfra = ['a',\n 'b c']\n":                      3,
		"[groups]\nfra = ['a', 1]\n":                            2,
		"[groups]\n'two words' = ['a']\n":                       2,
		"[groups]\nfra = ['a']\nFRA = ['b']\n":                  3,
		"[groups]\n\"\" = ['a']\n":                              2,
		"[[groups]]\nfra = ['a']\n":                             1,
		"[groups]\n'" + strings.Repeat("a", 65) + "' = ['a']\n": 2,
	} {
		_, _, err := Parse("f", []byte(text))
		e, ok := errors.AsType[*FileError](err)
		if !ok || e.Line != line || !strings.HasPrefix(e.Key, "groups") {
			t.Errorf("%q: %v", text, err)
		}
	}
}
