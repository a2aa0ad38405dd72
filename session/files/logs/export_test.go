package logs

const (
	MostFalls = mostFalls
)
