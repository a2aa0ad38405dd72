package local

import (
	"perfdeck/cooker"
	"perfdeck/session"
)

// pagingFiles reads Paging File, with the whole of swap as _Total.
type pagingFiles struct {
	*many[pagingFile]
}

type swaps struct{ file kernelFile }

func newPagingFiles(t *tick) collector {
	file := mayWait(t.records("swaps", anySize)) // for who switches swap on or off
	return &pagingFiles{newMany(pagingFileCounters, &swaps{file}, true)}
}

// collect makes _Total 0 of 0 where there is no swap.
func (p *pagingFiles) collect(b *session.SetBatch, clocks cooker.Clocks) {
	p.many.collect(b, clocks)
	if b.Err == nil && len(b.Instances) == 1 {
		row := b.Row(0)
		for i := range row {
			row[i] = ratio(0, 0)
		}
	}
}

func (s *swaps) read(f *found[pagingFile]) error {
	data, err := s.file.read()
	if err != nil {
		return readError("swaps", err)
	}
	for l := range lines(data) {
		if path, size, used, ok := swapLine(l); ok {
			state := f.instance("", pagingFileName(path), 0)
			if state.size != size { // switched off and on again since: the peak was another's
				state.peak = 0
			}
			state.size, state.used, state.peak = size, used, max(state.peak, used)
		}
	}
	return nil
}

func (s *swaps) close() { s.file.close() }
