package config

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"perfdeck/session/system/osfile"
)

// Running is what a service leaves in the state folder of the config that it works with.
type Running struct {
	Command string            `json:"command"`
	Process int               `json:"process"`
	Since   time.Time         `json:"since"` // it took that
	Config  string            `json:"config"`
	Files   map[string]string `json:"files,omitempty"` // beside the config that are read again, by kind
	Keys    []string          `json:"keys"`            // of Taken that it uses
	Taken   Taken             `json:"taken"`
	Named   Named             `json:"named"`
}

// Named is what the command line of a service says that a reload meets again.
type Named struct {
	Hosts  []string `json:"hosts,omitempty"`
	Groups []string `json:"groups,omitempty"`
	Packs  []string `json:"packs,omitempty"`
	Rules  []string `json:"rules,omitempty"`
	To     string   `json:"to,omitempty"` // a push
}

// runningDir is where they are, below the state folder.
const runningDir = "running"

// Left is a file of a Running, which is there while the process is.
type Left struct{ f *os.File }

// Leave makes one. What processes left that were killed is tidied up.
func Leave(dir, command string) (*Left, error) {
	dir = filepath.Join(dir, runningDir)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	_ = eachRunning(dir, func(name string, isOver bool) {
		if isOver {
			_ = os.Remove(name)
		}
	})
	const patience = time.Second // for who looks whether it is over
	f, err := osfile.Take(filepath.Join(dir, fmt.Sprintf("%s-%d.json", command, os.Getpid())), patience)
	if err != nil {
		return nil, err
	}
	return &Left{f}, nil
}

// Set writes down what is taken by now.
func (l *Left) Set(r *Running) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	if err := l.f.Truncate(0); err != nil {
		return err
	}
	_, err = l.f.WriteAt(append(text, '\n'), 0)
	return err
}

// End takes it away.
func (l *Left) End() { osfile.Discard(l.f) }

// mostRunning bounds such a file.
const mostRunning = 4 << 20

// RunningIn are those of a state folder whose processes go on. Nothing is written there.
func RunningIn(dir string) (out []Running, err error) {
	err = eachRunning(filepath.Join(dir, runningDir), func(name string, isOver bool) {
		var r Running
		text, err := osfile.ReadPlain(name, mostRunning)
		if err == nil && !isOver && json.Unmarshal(text, &r) == nil {
			out = append(out, r)
		}
	})
	return out, err
}

// eachRunning looks at each.
func eachRunning(dir string, do func(name string, isOver bool)) error {
	entries, err := os.ReadDir(dir)
	if os.IsNotExist(err) {
		return nil
	}
	for _, e := range entries {
		if !e.Type().IsRegular() {
			continue // nobody here made it
		}
		name := filepath.Join(dir, e.Name())
		locked, err := osfile.IsLocked(name)
		do(name, !locked && err == nil)
	}
	return err
}
