package blg

var (
	CookBLG        = cookBLG
	ErrNoPath      = errNoPath
	ErrNoRawSample = errNoRawSample
	NewReader      = newReader
)
