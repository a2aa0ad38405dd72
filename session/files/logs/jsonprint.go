package logs

import (
	"perfdeck/cooker"
)

// printedJSON is JSON lines with the values as tables show them beside them.
type printedJSON struct {
	outlet

	path, line []byte
}

func printJSONLines(o outlet) beatWriter { return &printedJSON{outlet: o} }

func (j *printedJSON) write(b *Beat) error {
	for _, s := range b.Samples {
		j.line = beginJSON(j.line[:0], s.Time, s.Host)
		for i, c := range s.Cells {
			j.path = appendJSONString(j.path[:0], c.Text)
			j.line = appendJSONCell(j.line, j.path, c.Value, j.format(c, cooker.DefaultDigits), i+1 == len(s.Cells))
		}
		j.line = endJSON(j.line)
		if _, err := j.w.Write(j.line); err != nil {
			return err
		}
	}
	return nil
}
