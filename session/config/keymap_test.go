package config

import (
	"errors"
	"reflect"
	"testing"
)

func TestKeys(t *testing.T) {
	c, _, err := Parse("c.toml", []byte("[keys]\nchart = \"C\"\ntop = [\"T\", \"ctrl+t\"]\nwarn = []\n"))
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][]string{}
	for _, b := range c.Keys {
		got[b.Action] = b.Keys
	}
	want := map[string][]string{"chart": {"C"}, "top": {"T", "ctrl+t"}, "warn": nil}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	fault := c.Keys[0].Fault("no such action", "try another")
	e, ok := errors.AsType[*FileError](fault)
	if !ok || e.Line != 2 || e.File != "c.toml" || e.Hint() != "try another" {
		t.Errorf("the fault is %#v", fault)
	}
	for _, wrong := range []string{"[keys]\nchart = 7", "[keys]\nchart = [7]", "keys = 1"} {
		if _, _, err := Parse("c.toml", []byte(wrong)); err == nil {
			t.Errorf("%q is taken", wrong)
		}
	}
}
