package main

import (
	"testing"

	"perfdeck/session"
	"perfdeck/themes"
)

// A theme that was chosen on the screens wins over the config's, at the start and
// when the config changes; a flag and the environment win over both.
func TestShownTheme(t *testing.T) {
	other, err := themes.Load(themes.Default, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		kept    string
		args    []string
		environ []string
		want    string
	}{
		{want: other.Name},
		{kept: "nord", want: "nord"},
		{kept: "no such theme", want: other.Name},
		{kept: "nord", args: []string{"--theme", "gruvbox"}, want: other.Name},
		{kept: "nord", environ: []string{"PERFDECK_THEME=gruvbox"}, want: other.Name},
	} {
		t.Setenv("XDG_CONFIG_HOME", t.TempDir())
		p := &program{environ: c.environ}
		root := p.rootCommand()
		if err := root.ParseFlags(c.args); err != nil {
			t.Fatal(err)
		}
		if got := p.shownTheme(root, &session.Saved{Theme: c.kept}, other); got.Name != c.want {
			t.Errorf("%+v: %s is shown", c, got.Name)
		}
	}
}
