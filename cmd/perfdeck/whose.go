package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"perfdeck/session/config"
	"perfdeck/session/recording/collector"
	"perfdeck/session/system/osfile"
	"perfdeck/session/system/service"
)

// whose settles whose state a command looks into, and whose config it reads with it: that of the
// service where nothing of this user's own is meant, which is said. It is meant where a variable or
// --config says so, where the user has a config, or one of the files, which are patterns, in the
// state folder. Whoever may not write there but would, or may not read what he wants of it, means his own.
func (p *program) whose(writes bool, files ...string) {
	state, file := service.StateDir, service.ConfigFile
	if p.servicePlace != "" {
		state, file = filepath.Join(p.servicePlace, "state"), filepath.Join(p.servicePlace, "config.toml")
	}
	if filepath.IsAbs(os.Getenv("XDG_STATE_HOME")) || runtime.GOOS == "windows" || p.flags.Config != "" && p.flags.Config != file {
		return
	}
	folder, err := os.Open(state)
	if err == nil {
		_, err = folder.Readdirnames(1)
		_ = folder.Close()
	}
	if err != nil && !errors.Is(err, io.EOF) { // there is no service, or it is no business of this user's
		return
	}
	if p.flags.Config == "" && (writes && !config.MayVisit(state) || hasOwn(file, files)) {
		p.tell("these are your own; those of the service: --config " + file)
		return
	}
	if p.flags.Config == "" && !mayRead(state, file, files) {
		return
	}
	p.visits = state
	if _, err := os.Stat(file); err == nil {
		p.flags.Config = file
	}
}

// mayRead tells whether this user may read what is wanted of a service: its config, and those files of its
// state, or without any its alerts. Whoever may list a folder need not be able to.
func mayRead(state, config string, files []string) bool {
	if len(files) == 0 {
		files = []string{"alerts.jsonl"}
	}
	wanted := []string{config}
	for _, name := range files {
		name = filepath.Join(state, name)
		found, _ := filepath.Glob(name)
		wanted = slices.Concat(wanted, []string{filepath.Dir(name)}, found)
	}
	return !slices.ContainsFunc(wanted, func(name string) bool {
		f, err := osfile.OpenPlain(name)
		if err == nil {
			_ = f.Close()
		}
		return errors.Is(err, os.ErrPermission)
	})
}

// hasOwn tells whether this user has a config, which is not the service's, or one of some files of
// the state.
func hasOwn(service string, files []string) bool {
	own, err := config.DefaultFile()
	if err == nil && own != service {
		if _, err := os.Stat(own); err == nil {
			return true
		}
	}
	dir, err := config.StateDir()
	return err == nil && slices.ContainsFunc(files, func(name string) bool {
		found, _ := filepath.Glob(filepath.Join(dir, name))
		return len(found) > 0
	})
}

// Files of the state that show what a user has of his own.
var (
	ownRecordings = filepath.Join(collector.RecordingsDir(""), "*.toml")
	ownSets       = filepath.Join("sets", "*.xml")
)

// visit does something to the state folder, which for root may be that of a service, whose its
// files stay. writes tells that it changes anything there.
func (p *program) visit(writes bool, do func(dir string) error) error {
	dir, shown, back, err := config.VisitState(p.visits, writes)
	if err != nil {
		return err
	}
	defer back()
	if owner := config.OwnerOf(dir); owner != "" && (p.visits != "" || dir != shown) && p.visitedOf != shown {
		p.visitedOf = shown
		p.tell("in " + shown + ", of the user " + owner)
	}
	p.visited = dir
	defer func() { p.visited = "" }()
	if err = do(dir); err != nil && dir != shown {
		err = fmt.Errorf("in %s: %w", shown, err)
	}
	return err
}

// asService is how a command runs as the user of the service.
func (p *program) asService(command string) string {
	return fmt.Sprintf("sudo -u %s env XDG_STATE_HOME=%s perfdeck --config %s %s", config.OwnerOf(p.visits), filepath.Dir(p.visits), p.flags.Config, command)
}
