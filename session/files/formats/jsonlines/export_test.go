package jsonlines

const (
	HeadLines    = headLines
	JSONEventKey = jsonEventKey
)

var (
	AppendJSONCell   = appendJSONCell
	AppendJSONString = appendJSONString
	BeginJSON        = beginJSON
	EndJSON          = endJSON
	ErrNotASample    = errNotASample
)
