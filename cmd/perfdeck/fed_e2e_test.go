//go:build !windows

package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"perfdeck/cooker"
	"perfdeck/session"
	"perfdeck/session/hosts/manifest"
	"perfdeck/session/system/sharedtest"
)

// servesFed serves a manifest, fed by a program with all that it declares: of countersets with
// instances Instance 0 to 3.
func servesFed(t *testing.T, name string) *served {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	file, problems := manifest.Parse(name, text)
	if file == nil {
		t.Fatal(problems)
	}
	quoted := func(text string) string {
		out, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	var script strings.Builder
	script.WriteString("#!/bin/sh\nn=1\nwhile :; do\nn=$((n+1))\n")
	for _, set := range file.Catalogue() {
		companions := map[uint32]bool{}
		for i := range set.Counters {
			companions[set.Counters[i].BaseID] = true
		}
		instances := []string{""}
		if set.Instances.Multiple() {
			instances = []string{"Instance 0", "Instance 1", "Instance 2", "Instance 3"}
		}
		for _, instance := range instances {
			fmt.Fprintf(&script, `printf '%%s\n' '{"set":%s`, quoted(set.GUID))
			if instance != "" {
				fmt.Fprintf(&script, `,"instance":%s`, quoted(instance))
			}
			for i := range set.Counters {
				c := &set.Counters[i]
				if companions[c.ID] {
					continue
				}
				grows := 7
				if c.Quantity.Kind == cooker.BytesPerSecond {
					grows = 500_000
				}
				value := fmt.Sprintf("'$((n*%d))'", grows)
				switch {
				case c.Type.IsText():
					value = `"running"`
				case c.BaseID != session.NoID:
					value = fmt.Sprintf(`{"raw":%s,"base":'$((n*10))'}`, value)
				}
				fmt.Fprintf(&script, `,%s:%s`, quoted(c.Name), value)
			}
			script.WriteString("}'\n")
		}
	}
	script.WriteString("sleep 0.2\ndone\n")
	program := filepath.Join(t.TempDir(), "feed.sh")
	if err := os.WriteFile(program, []byte(script.String()), 0o700); err != nil {
		t.Fatal(err)
	}
	s := serves(t, "--manifest="+name, "--feed=run:"+program)
	for _, set := range file.Catalogue() {
		path := `\` + set.Name + `\*`
		if set.Instances.Multiple() {
			path = `\` + set.Name + `(*)\*`
		}
		sharedtest.Until(t, "values of "+set.Name, func() bool {
			out, _, _ := runs(t, withPassword(testPassword), "sample", s.host(), "--user="+testUser, "-n1", "-fjson", path)
			return strings.Contains(out, `"status":"ok"`)
		})
	}
	return s
}
