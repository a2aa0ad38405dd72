package inventory

import (
	"context"
	"fmt"
	"slices"

	"perfdeck/paths"
	"perfdeck/session"
	"perfdeck/session/system/failure"
)

// CheckPaths refuses, before anything is shown, paths of computers that are not watched, or that an only
// host is known not to have.
func CheckPaths(ctx context.Context, hosts []Host, texts []string) error {
	for _, text := range texts {
		p, _ := paths.Parse(text)
		if p.Computer != "" && !slices.ContainsFunc(hosts, func(h Host) bool { return Is(p.Computer, h.Name) || h.Local && IsLocal(p.Computer) }) {
			return failure.Usage(fmt.Errorf("%s: its computer is not watched", text), "name it with --host, or leave the computer out of the path")
		}
	}
	if len(texts) == 0 || len(hosts) != 1 {
		return nil
	}
	source, ok := hosts[0].Source.(session.Rememberer)
	ok = ok && source.Kept() != nil
	err := checkOffered(ctx, hosts[0].Source, texts)
	if ok && err != nil {
		source.Forget() // the kept catalogue may be too old
		err = checkOffered(ctx, hosts[0].Source, texts)
	}
	return err
}

func checkOffered(ctx context.Context, source session.Source, texts []string) error {
	cat, err := source.Catalogue(ctx)
	if err != nil {
		return err
	}
	for _, text := range texts {
		if _, err := cat.Resolve(text, paths.Options{}); err != nil {
			return err
		}
	}
	return nil
}
