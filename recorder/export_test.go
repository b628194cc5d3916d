package recorder

var RemoveOldest = removeOldest
