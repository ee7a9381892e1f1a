// Calls to be counted: constructors and destructors, virtual functions, templates, lambdas, static members, recursion.
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

struct Shape {
    explicit Shape(int size) : size(size)
    {
    }
    virtual ~Shape() = default;
    virtual int area() const = 0;
    int size;
};
struct Square : Shape {
    using Shape::Shape;
    int area() const override
    {
        return size * size;
    }
};
struct Line : Shape {
    using Shape::Shape;
    int area() const override
    {
        return 0;
    }
    ~Line() override
    {
        ended++;
    }
    static int ended;
};
int Line::ended;

template <typename T> T power(T base, int exponent)
{
    return exponent == 0 ? T(1) : base * power(base, exponent - 1);
}

static int total(const std::vector<std::unique_ptr<Shape>> &shapes)
{
    int sum = 0;
    for (const auto &shape : shapes)
        sum += shape->area();
    return sum;
}

int main()
{
    auto twice = [](int value) { return 2 * value; };
    long sum = 0;
    for (int round = 0; round < 30; round++) {
        std::vector<std::unique_ptr<Shape>> shapes;
        for (int i = 0; i < round; i++)
            if (i % 3 == 0)
                shapes.push_back(std::make_unique<Line>(i));
            else
                shapes.push_back(std::make_unique<Square>(i));
        sum += total(shapes) + power(3L, round % 9) + static_cast<long>(power(0.5, 3) * 8) + twice(round);
    }
    std::printf("%ld %d\n", sum, Line::ended);
    return 0;
}
