module example.com/judged

go 1.26.0
