package jsonlines

import (
	"perfdeck/cooker"
	"perfdeck/session/files/logs"
)

// printedJSON is JSON lines with the values as tables show them beside them.
type printedJSON struct {
	logs.Outlet

	path, line []byte
}

// Print writes beats, a line for each host.
func Print(o logs.Outlet) logs.BeatWriter { return &printedJSON{Outlet: o} }

func (j *printedJSON) Write(b *logs.Beat) error {
	for _, s := range b.Samples {
		j.line = beginJSON(j.line[:0], s.Time, s.Host)
		for i, c := range s.Cells {
			j.path = appendJSONString(j.path[:0], c.Text)
			j.line = appendJSONCell(j.line, j.path, c.Value, j.Format(c, cooker.DefaultDigits), i+1 == len(s.Cells))
		}
		j.line = endJSON(j.line)
		if _, err := j.W.Write(j.line); err != nil {
			return err
		}
	}
	return nil
}
